"""How files and pages travel: what browsers unpack is what was sent, and a file is compressed once."""

import gzip

from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from explorer.dashboards.server.delivery import DAY, LEAST, GzipTransform, Shelf

TEXT = b"let cuts = 0;\n" * 9000


def asked(accepts: str = "gzip, deflate", path: str = "/static/js/bokeh.min.js") -> HTTPServerRequest:
    return HTTPServerRequest(
        start_line=RequestStartLine("GET", path, "HTTP/1.1"),
        headers=HTTPHeaders({"Accept-Encoding": accepts, "Host": "here"}),
    )


def sent(
    request: HTTPServerRequest, pieces: list[bytes], kind: str = "text/javascript", tag: str = '"a"'
) -> tuple[HTTPHeaders, bytes]:
    """What travels when a handler writes these pieces."""
    transform, headers = GzipTransform(request), HTTPHeaders({"Content-Type": kind, "Content-Length": "9"})
    if tag:
        headers["Etag"] = tag
    _, headers, body = transform.transform_first_chunk(200, headers, pieces[0], len(pieces) == 1)
    for k, piece in enumerate(pieces[1:], start=2):
        body += transform.transform_chunk(piece, k == len(pieces))
    return headers, body


def pieces_of(text: bytes) -> list[bytes]:
    return [text[:50_000], text[50_000:], b""]


def test_a_browser_unpacks_what_was_written(monkeypatch) -> None:
    monkeypatch.setattr(GzipTransform, "shelf", Shelf())
    headers, body = sent(asked(), pieces_of(TEXT))
    assert gzip.decompress(body) == TEXT
    assert len(body) < len(TEXT) / 20
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Vary"] == "Accept-Encoding"
    assert "Content-Length" not in headers


def test_a_file_is_compressed_once_and_sent_whole_afterwards(monkeypatch) -> None:
    shelf = Shelf()
    monkeypatch.setattr(GzipTransform, "shelf", shelf)
    sent(asked(), pieces_of(TEXT))
    assert gzip.decompress(shelf.find('"a"') or b"") == TEXT
    headers, body = sent(asked(), [b"what is read again does not travel", b""])
    assert gzip.decompress(body) == TEXT
    assert headers["Content-Length"] == str(len(body))


def test_a_page_without_a_tag_is_compressed_each_time(monkeypatch) -> None:
    monkeypatch.setattr(GzipTransform, "shelf", Shelf())
    for page in (TEXT, TEXT[:5000]):
        headers, body = sent(asked(), [page], "text/html; charset=utf-8", tag="")
        assert gzip.decompress(body) == page
        assert headers["Content-Length"] == str(len(body))


def test_what_is_short_or_no_text_or_not_accepted_travels_as_it_is(monkeypatch) -> None:
    monkeypatch.setattr(GzipTransform, "shelf", Shelf())
    short = b"x" * (LEAST - 1)
    for request, text, kind in (
        (asked(), short, "text/plain"),
        (asked(), TEXT, "font/woff2"),
        (asked("identity"), TEXT, "text/plain"),
    ):
        headers, body = sent(request, [text], kind)
        assert body == text
        assert "Content-Encoding" not in headers


def test_a_full_shelf_lets_go_of_what_was_put_there_first() -> None:
    shelf = Shelf(most=10)
    for tag in "abc":
        shelf.put(tag, b"12345")
    assert [shelf.find(tag) for tag in "abc"] == [None, b"12345", b"12345"]


def test_browsers_keep_files_that_are_named_by_what_they_hold() -> None:
    headers, _ = sent(asked(path="/static/roboto-4AB.woff2"), [b"font"], "font/woff2")
    assert headers["Cache-Control"] == DAY
