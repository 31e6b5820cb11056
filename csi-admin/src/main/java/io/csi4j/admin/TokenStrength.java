package io.csi4j.admin;

import java.util.HashSet;
import java.util.Set;

/** Estimates how hard a token is to guess. */
final class TokenStrength {
    /** The least number of bits of a token. 32 random hexadecimal digits have about 120. */
    static final int LEAST_BITS = 96;

    private TokenStrength() {}

    /**
     * Checks a token.
     *
     * @throws IllegalArgumentException if the token is too easy to guess; the message does not contain it
     */
    static void check(String token) {
        int bits = bits(token);
        if (bits < LEAST_BITS) {
            throw new IllegalArgumentException("AdminServer: the token is too easy to guess: it has " + token.length()
                    + " characters that are worth about " + bits + " bits, and needs " + LEAST_BITS
                    + "; make a random one, for example with: openssl rand -base64 32");
        }
    }

    /**
     * Returns the bits of a text whose characters were chosen at random from those that it contains. Characters that
     * repeat an earlier part of the text, or continue a run such as 123 or aaa, do not count.
     */
    static int bits(String token) {
        Set<String> parts = new HashSet<>();
        Set<Integer> alphabet = new HashSet<>();
        int counted = 0;
        for (int i = 0; i < token.length(); i++) {
            alphabet.add((int) token.charAt(i));
            boolean repeats = i >= 2 && !parts.add(token.substring(i - 2, i + 1));
            int step = i < 1 ? 2 : token.charAt(i) - token.charAt(i - 1);
            boolean runs = i >= 2 && Math.abs(step) <= 1 && step == token.charAt(i - 1) - token.charAt(i - 2);
            if (!repeats && !runs) {
                counted++;
            }
        }
        return (int) (counted * Math.log(Math.max(1, alphabet.size())) / Math.log(2));
    }
}
