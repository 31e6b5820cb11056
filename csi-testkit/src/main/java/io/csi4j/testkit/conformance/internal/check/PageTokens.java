package io.csi4j.testkit.conformance.internal.check;

import io.csi4j.testkit.conformance.internal.Rule;
import io.csi4j.testkit.conformance.internal.Run;
import java.util.HashSet;
import java.util.Set;

/** The tokens of one list. A list whose tokens repeat, or whose pages have nothing new, would never end. */
final class PageTokens {
    private static final int MAX_PAGES = 10_000;
    private static final int MAX_PAGES_WITHOUT_PROGRESS = 50;
    private static final int MAX_BYTES = 128;

    private final Run run;
    private final Set<String> seen = new HashSet<>();
    private final Set<String> ids = new HashSet<>();
    private int withoutProgress;

    PageTokens(Run run) {
        this.run = run;
    }

    /**
     * Checks the token of the next page.
     *
     * @param token next_token of a page; empty on the last page
     * @param entries the ids on this page
     * @return the token
     */
    String next(String token, Iterable<String> entries) {
        withoutProgress++;
        for (String id : entries) {
            if (ids.add(id)) {
                withoutProgress = 0;
            }
        }
        if (token.isEmpty()) {
            return token;
        }
        int bytes = IdentityChecks.bytes(token);
        run.should(Rule.R16, bytes <= MAX_BYTES, "next_token has " + bytes + " bytes, more than 128");
        run.must(
                Rule.R70, seen.add(token), "a page returned the next_token of an earlier page, so the list never ends");
        run.must(
                Rule.R70,
                withoutProgress < MAX_PAGES_WITHOUT_PROGRESS,
                withoutProgress + " pages in a row had no new entry, and each returned a next_token");
        run.must(Rule.R70, seen.size() < MAX_PAGES, "the list has not ended after " + MAX_PAGES + " pages");
        return token;
    }
}
