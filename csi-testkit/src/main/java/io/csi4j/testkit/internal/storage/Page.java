package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A page of a listing (R70). The token names the last row of the page instead of a position, so it stays valid when that row is
 * deleted, and no row appears twice.
 *
 * @param rows the rows of the page
 * @param nextToken empty on the last page
 * @param <T> the type of the rows
 */
public record Page<T>(List<T> rows, String nextToken) {
    public Page {
        rows = List.copyOf(rows);
    }

    /**
     * Returns the key of the last row before the page that a token asks for.
     *
     * @param list the name of the listing; the token of another listing is invalid
     * @param token the token of the request; empty: the beginning
     * @return the key; empty: the page is the first one
     * @throws CallRefusal ABORTED if the token is invalid (R72)
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
            // The token is not Base64, so this plugin did not create it.
        }
        throw CallRefusal.aborted(
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
