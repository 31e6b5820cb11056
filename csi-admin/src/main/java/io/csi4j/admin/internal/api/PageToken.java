package io.csi4j.admin.internal.api;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Where a page begins, so that clients do not read it: the key of the last item, encoded. */
final class PageToken {
    private PageToken() {}

    /** Returns the page with an encoded token. */
    static <T> Page<T> of(Page<T> page) {
        return new Page<>(
                page.items(),
                page.next()
                        .map(key -> Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(key.getBytes(StandardCharsets.UTF_8))));
    }

    /**
     * Decodes a token.
     *
     * @throws IllegalArgumentException if it is not a token
     */
    static String parse(String token) {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("it is not the next of a page", e);
        }
    }
}
