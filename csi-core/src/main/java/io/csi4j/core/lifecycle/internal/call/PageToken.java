package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.lifecycle.WrongAnswerException;

/** Checks the tokens of lists that a plugin returns in pages (R70, R81). */
public final class PageToken {
    private PageToken() {}

    /**
     * Returns the token of the next page.
     *
     * @param subject the list, for operators
     * @param asked the token of the page that was requested
     * @param next the token in the response
     * @throws WrongAnswerException if both are equal, because a caller that follows the tokens would request the same
     *     page for ever. The message does not contain the token, which is a text of the plugin
     */
    public static String next(Rpc rpc, String subject, String asked, String next) {
        if (!next.isEmpty() && next.equals(asked)) {
            throw new WrongAnswerException(
                    rpc,
                    subject,
                    "the token of the next page is the token of this page, so the list would never end; nothing"
                            + " continues. Report it to the vendor of the plugin");
        }
        return next;
    }
}
