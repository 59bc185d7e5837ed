"""`panel serve` this file (with its neighbours) to get the data page; `explorer serve` serves all pages."""

from explorer.dashboards.app import pages, prepare

prepare()
pages()["data"]().servable()
