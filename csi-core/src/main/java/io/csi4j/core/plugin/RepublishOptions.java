package io.csi4j.core.plugin;

import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.text.Text;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How often a node calls NodePublishVolume again for a mounted volume, and which tokens each such call contains. Tokens
 * are made for one allocation and one volume, and are never stored. Durations have whole milliseconds; a smaller part is
 * dropped.
 *
 * @param interval the longest time from one successful call to the next; zero: the volume is published once. The next call
 *     comes earlier if a token ends earlier
 * @param audiences for whom tokens are made, one token for each; an empty text is the default audience of the issuer
 * @param tokenExpiry the life of the tokens that the issuer is asked for; empty: the issuer decides
 * @param delivery the field of NodePublishVolume that contains the tokens
 * @param onlyAtMount whether the tokens may run out while the volume is mounted, because it is published once
 */
public record RepublishOptions(
        Duration interval,
        List<String> audiences,
        Optional<Duration> tokenExpiry,
        Delivery delivery,
        boolean onlyAtMount) {
    /** The shortest interval and the shortest time between two successful calls. */
    public static final Duration SHORTEST = Duration.ofSeconds(30);

    /** The interval for a plugin that says that it wants to be called again, but not how often. */
    public static final Duration USUAL = Duration.ofMinutes(10);

    private static final Duration LONGEST = Duration.ofDays(30);
    private static final Duration SHORTEST_LIFE = Duration.ofMinutes(1);
    private static final int MOST_AUDIENCES = 8;
    private static final int LONGEST_AUDIENCE = 256;
    private static final RepublishOptions NONE =
            new RepublishOptions(Duration.ZERO, List.of(), Optional.empty(), Delivery.SECRETS, false);

    public RepublishOptions {
        interval = interval.truncatedTo(ChronoUnit.MILLIS);
        audiences = List.copyOf(audiences);
        audiences.forEach(audience -> Text.checked("RepublishOptions: audiences", audience));
        tokenExpiry = tokenExpiry.map(life -> life.truncatedTo(ChronoUnit.MILLIS));
        Objects.requireNonNull(delivery, "delivery");
    }

    /** The field of NodePublishVolume that contains the tokens; never both. */
    public enum Delivery {
        /** The secrets, which neither plugins nor csi4j log. */
        SECRETS,
        /** The volume context, for plugins that do not look for tokens in the secrets. Some of them log it. */
        VOLUME_CONTEXT
    }

    /** Returns the options of a plugin that is called once for a mount, without tokens. */
    public static RepublishOptions none() {
        return NONE;
    }

    /** Returns whether NodePublishVolume is called again for a mounted volume. */
    public boolean repeats() {
        return !interval.isZero();
    }

    /** Returns whether NodePublishVolume contains tokens. */
    public boolean hasTokens() {
        return !audiences.isEmpty();
    }

    /** Returns all problems of these options, by the names of the fields of a profile; empty if they can be used. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (repeats() && (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0)) {
            problems.add(new Problem(
                    "republishInterval",
                    "is " + interval,
                    "give " + SHORTEST + " to " + LONGEST + ", or leave it out for one call for each mount"));
        }
        audienceProblem().ifPresent(problems::add);
        if (tokenExpiry
                .filter(life -> life.compareTo(SHORTEST_LIFE) < 0 || life.compareTo(LONGEST) > 0)
                .isPresent()) {
            problems.add(new Problem(
                    "tokenExpiry",
                    "is " + tokenExpiry.get(),
                    "give " + SHORTEST_LIFE + " to " + LONGEST + ", or leave it to the issuer"));
        }
        if (!hasTokens() && (tokenExpiry.isPresent() || onlyAtMount)) {
            problems.add(new Problem(
                    tokenExpiry.isPresent() ? "tokenExpiry" : "tokensOnlyAtMount",
                    "is there, and there are no tokenAudiences",
                    "name the audiences of the tokens, or leave it out"));
        }
        if (hasTokens() && !repeats() && !onlyAtMount) {
            problems.add(new Problem(
                    "tokenAudiences",
                    "are there without a republishInterval, so the tokens run out while the volume is mounted",
                    "set republishInterval, or say with tokensOnlyAtMount that the plugin needs them for the mount"
                            + " only"));
        }
        if (repeats() && onlyAtMount) {
            problems.add(new Problem(
                    "tokensOnlyAtMount",
                    "contradicts the republishInterval, which renews the tokens",
                    "leave one of them out"));
        }
        return problems;
    }

    private Optional<Problem> audienceProblem() {
        String wrong = "";
        if (audiences.size() > MOST_AUDIENCES) {
            wrong = "are " + audiences.size();
        } else if (new HashSet<>(audiences).size() < audiences.size()) {
            wrong = "have one audience twice";
        } else if (audiences.stream().anyMatch(name -> name.length() > LONGEST_AUDIENCE)) {
            wrong = "have an audience of more than " + LONGEST_AUDIENCE + " characters";
        } else if (audiences.stream().anyMatch(name -> name.chars().anyMatch(RepublishOptions::isUnprintable))) {
            wrong = "have an audience with a space, a control character or a character beyond ASCII";
        }
        return wrong.isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        "tokenAudiences",
                        wrong,
                        "give at most " + MOST_AUDIENCES
                                + " different ones, as the driver's documentation names them"));
    }

    private static boolean isUnprintable(int character) {
        return character <= ' ' || character > '~';
    }
}
