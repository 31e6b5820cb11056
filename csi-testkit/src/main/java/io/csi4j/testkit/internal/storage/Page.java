package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.rule.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A page of a list (R70). The token names the last row of the page, not a position, so it stays good when that row
 * is deleted and no row is told twice.
 *
 * @param rows of the page
 * @param nextToken empty when this was the last page
 * @param <T> the rows' type
 */
public record Page<T>(List<T> rows, String nextToken) {
    /** Copies the list. */
    public Page {
        rows = List.copyOf(rows);
    }

    /**
     * The key that a token points behind.
     *
     * @param list what is listed; a token of another list is a bad one
     * @param token of the request; empty for the beginning
     * @return the key, empty for the beginning
     * @throws Refusal ABORTED when the token is not one of ours (R72)
     */
    static String keyOf(String list, String token) {
        if (token.isEmpty()) {
            return "";
        }
        try {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            if (text.startsWith(list + ">")) {
                return text.substring(list.length() + 1);
            }
        } catch (IllegalArgumentException e) {
            // Not Base64, so not made here: the same answer as for any other foreign token.
        }
        throw Refusal.aborted(
                "starting_token is not one that this list has returned; start again with an empty starting_token (R72)");
    }

    static <T> Page<T> of(
            String list, Collection<T> from, Predicate<T> wanted, int maxEntries, int cap, Function<T, String> key) {
        int limit = maxEntries == 0 ? cap : cap == 0 ? maxEntries : Math.min(maxEntries, cap);
        List<T> rows = new ArrayList<>();
        for (T row : from) {
            if (!wanted.test(row)) {
                continue;
            }
            if (limit > 0 && rows.size() == limit) {
                String last = list + ">" + key.apply(rows.get(limit - 1));
                return new Page<>(
                        rows,
                        Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8)));
            }
            rows.add(row);
        }
        return new Page<>(rows, "");
    }
}
