package io.csi4j.node.internal.worker;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.plugin.RepublishOptions.Delivery;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.PublishTokenProvider.Request;
import io.csi4j.node.PublishTokenProvider.Token;
import io.csi4j.node.internal.ledger.UseEntry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The tokens of one NodePublishVolume. They live until the request is sent: neither {@code toString} nor a message shows
 * them.
 */
final class PublishTokens {
    /** The tokens of a plugin that gets none. */
    static final PublishTokens NONE = new PublishTokens("", Delivery.SECRETS, 0);

    private final String json;
    private final Delivery delivery;
    private final long expiresMillis;

    private PublishTokens(String json, Delivery delivery, long expiresMillis) {
        this.json = json;
        this.delivery = delivery;
        this.expiresMillis = expiresMillis;
    }

    /** Returns when the first of the tokens runs out, in milliseconds since the epoch; 0 if there are none. */
    long expiresMillis() {
        return expiresMillis;
    }

    /** Asks the host for the tokens of a use. The future fails with a reason if they are not there in time, or not all. */
    static CompletableFuture<PublishTokens> of(NodePorts ports, Timeouts timeouts, NodeVolumeId id, UseEntry use) {
        RepublishOptions options = use.renewal().options();
        if (!options.hasTokens()) {
            return CompletableFuture.completedFuture(NONE);
        }
        String name = "PublishTokenProvider.tokens";
        Request request = new Request(id, use.allocationId(), options.audiences(), options.tokenExpiry());
        CompletableFuture<List<Token>> called =
                ports.host().call(name, () -> ports.tokens().tokens(request));
        // Keeps only the class of an exception, whose message may contain a token.
        CompletableFuture<List<Token>> answer = called.thenApply(
                        tokens -> ports.host().required(name, tokens))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(none(
                        "it failed with " + Futures.unwrap(error).getClass().getName())));
        Duration limit = ports.options().longestRetry();
        return timeouts.limit(answer, limit, () -> {
                    ports.host().givenUp(called, limit);
                    return none("they were not there within " + Durations.text(limit));
                })
                .thenCompose(tokens -> {
                    try {
                        return CompletableFuture.completedFuture(
                                checked(tokens, options, ports.clock().instant()));
                    } catch (IOException e) {
                        return CompletableFuture.failedFuture(e);
                    }
                });
    }

    private static PublishTokens checked(List<Token> tokens, RepublishOptions options, Instant now) throws IOException {
        Map<String, Token> byAudience = new HashMap<>();
        for (Token token : tokens) {
            if (byAudience.put(token.audience(), token) != null) {
                throw none("it gave two for audience " + quoted(token.audience()));
            }
        }
        List<String> entries = new ArrayList<>();
        long expires = Long.MAX_VALUE;
        for (String audience : options.audiences()) {
            Token token = byAudience.get(audience);
            if (token == null) {
                throw none("it gave none for audience " + quoted(audience));
            }
            if (!token.expiresAt().isAfter(now)) {
                throw none("the one for audience " + quoted(audience) + " ran out at " + token.expiresAt()
                        + ", and it is " + now.truncatedTo(ChronoUnit.SECONDS) + " here");
            }
            expires = Math.min(expires, token.expiresAt().toEpochMilli());
            entries.add(quoted(audience) + ":{\"token\":" + quoted(token.token()) + ",\"expirationTimestamp\":"
                    + quoted(token.expiresAt().truncatedTo(ChronoUnit.SECONDS).toString()) + "}");
        }
        return new PublishTokens("{" + String.join(",", entries) + "}", options.delivery(), expires);
    }

    private static IOException none(String reason) {
        return new IOException("nothing was sent, since the tokens could not be had from the PublishTokenProvider: "
                + reason + "; mend it");
    }

    /** Returns a text of JSON. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /**
     * Adds the secrets, and the tokens to exactly one field of a request.
     *
     * @param context the volume context without tokens
     */
    NodePublishVolumeRequest in(NodePublishVolumeRequest.Builder request, VolumeContext context, Secrets secrets) {
        if (json.isEmpty()) {
            return request.secrets(secrets).build();
        }
        boolean secret = delivery == Delivery.SECRETS;
        Map<String, String> all = new HashMap<>(secret ? secrets.asMap() : context.asMap());
        if (all.put(CsiLimits.TOKENS_KEY, json) != null) {
            throw new NodeVolumeException(
                    NodeVolumeException.Reason.UNSUPPORTED,
                    "The " + (secret ? "secrets have" : "volume context has") + " the key "
                            + CsiLimits.TOKENS_KEY + ", in which the profile of the plugin asks for tokens;"
                            + " nothing was sent: remove one of them");
        }
        return secret
                ? request.secrets(Secrets.of(all)).build()
                : request.secrets(secrets).volumeContext(VolumeContext.of(all)).build();
    }

    @Override
    public String toString() {
        return "PublishTokens[***]";
    }
}
