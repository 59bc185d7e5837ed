"""`panel serve` this file (with its neighbours) to get the workshop; `explorer serve` serves all pages."""

from explorer.dashboards.app import pages, prepare

prepare()
pages()["workshop"]().servable()
