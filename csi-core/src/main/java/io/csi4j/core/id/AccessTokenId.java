package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The id of an access token. It is not confidential: it names the token in lists and revocations, and is a part of the
 * token's secret.
 *
 * @param value the text: not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates.
 *     csi4j makes ids of 16 hexadecimal digits, for example {@code 5f0c7a91e2d84b36}
 */
public record AccessTokenId(String value) implements Comparable<AccessTokenId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public AccessTokenId {
        IdText.check("AccessTokenId", "value", value);
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static AccessTokenId of(String value) {
        return new AccessTokenId(value);
    }

    /** Orders the ids by the code units of their texts. */
    @Override
    public int compareTo(AccessTokenId other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the id as text for operators, with escapes for invisible characters. To get the exact id, use
     * {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
