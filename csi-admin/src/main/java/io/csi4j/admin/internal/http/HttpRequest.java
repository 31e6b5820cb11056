package io.csi4j.admin.internal.http;

/** A complete request. */
public final class HttpRequest {
    private final HttpHead head;
    private final byte[] body;

    /** @param body the body; not copied */
    HttpRequest(HttpHead head, byte[] body) {
        this.head = head;
        this.body = body;
    }

    /** Returns the head. */
    public HttpHead head() {
        return head;
    }

    /** Returns the body, not copied; empty if there is none. */
    public byte[] body() {
        return body;
    }
}
