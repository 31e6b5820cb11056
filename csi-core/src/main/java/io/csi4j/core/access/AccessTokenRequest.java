package io.csi4j.core.access;

import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.text.Text;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A request for an access token.
 *
 * @param name a name for operators, which also names the caller in messages and overrides: 1 to 128 bytes of UTF-8
 *     without invisible characters. Several tokens may have one name
 * @param policies the names of the policies that say what the holder may do; sorted, each once. Empty for a management
 *     token, otherwise 1 to {@link #MOST_POLICIES}
 * @param management whether the holder may do everything, whatever the policies say
 * @param expiresAt the time from which the token is not accepted; empty if it does not expire
 */
public record AccessTokenRequest(String name, List<String> policies, boolean management, Optional<Instant> expiresAt) {
    /** The most policies that a token can have. */
    public static final int MOST_POLICIES = 64;

    private static final int MOST_BYTES = 128;

    public AccessTokenRequest {
        Objects.requireNonNull(name, "name");
        policies = policies.stream().sorted().distinct().toList();
        Objects.requireNonNull(expiresAt, "expiresAt");
    }

    /** Returns a request for a token with policies that does not expire. */
    public static AccessTokenRequest of(String name, List<String> policies) {
        return new AccessTokenRequest(name, policies, false, Optional.empty());
    }

    /** Returns a request for a management token that does not expire. */
    public static AccessTokenRequest management(String name) {
        return new AccessTokenRequest(name, List.of(), true, Optional.empty());
    }

    /**
     * Returns a request for the same token that expires.
     *
     * @param end the time from which a server does not accept the token, by the clock of that server
     */
    public AccessTokenRequest expiringAt(Instant end) {
        return new AccessTokenRequest(name, policies, management, Optional.of(end));
    }

    /** Returns whether a text can be the name of a policy: 1 to 128 letters, digits, dots, hyphens and underscores of ASCII, beginning with a letter or a digit. */
    public static boolean isPolicyName(String name) {
        boolean valid = !name.isEmpty() && name.length() <= MOST_BYTES && letterOrDigit(name.charAt(0));
        for (int i = 1; valid && i < name.length(); i++) {
            char c = name.charAt(i);
            valid = letterOrDigit(c) || c == '.' || c == '-' || c == '_';
        }
        return valid;
    }

    private static boolean letterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    /** Returns all problems of this request; empty if a token can be made of it. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (name.isBlank() || name.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            problems.add(new Problem(
                    "name", "is blank or longer than " + MOST_BYTES + " bytes", "give a short name for operators"));
        } else if (Text.unpairedAt(name) >= 0 || !Text.printable(name).equals(name)) {
            problems.add(new Problem("name", "has an invisible character", "leave it out"));
        }
        for (String policy : policies) {
            if (!isPolicyName(policy)) {
                problems.add(new Problem(
                        "policies",
                        "has '" + Text.printable(Text.repaired(policy)) + "', which is no name of a policy",
                        "use letters, digits, dots, hyphens and underscores"));
            }
        }
        if (policies.size() > MOST_POLICIES) {
            problems.add(new Problem(
                    "policies", "has " + policies.size() + " names", "give at most " + MOST_POLICIES + " policies"));
        }
        if (management && !policies.isEmpty()) {
            problems.add(new Problem(
                    "policies",
                    "are given for a management token, which may do everything",
                    "leave out the policies, or make a token without management"));
        }
        if (!management && policies.isEmpty()) {
            problems.add(
                    new Problem("policies", "are missing, so the token could do nothing", "name at least one policy"));
        }
        return List.copyOf(problems);
    }
}
