"""`panel serve` this file (with its neighbours) to get the clustering lab; `explorer serve` serves all
pages.
"""

from explorer.dashboards.app import pages, prepare

prepare()
pages()["clusters"]().servable()
