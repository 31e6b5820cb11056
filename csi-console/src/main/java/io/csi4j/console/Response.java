package io.csi4j.console;

/** The response to an HTTP request: the status code, the media type and the whole body. */
record Response(int status, String type, String body) {
    static Response html(int status, String body) {
        return new Response(status, "text/html; charset=utf-8", body);
    }

    static Response json(int status, String body) {
        return new Response(status, "application/json", body);
    }

    static Response text(int status, String body) {
        return new Response(status, "text/plain; charset=utf-8", body);
    }
}
