package io.csi4j.core.call;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call to a plugin that did not end with a usable answer. What to do next is in {@link #outcome()}.
 */
public final class CsiCallException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final Rpc rpc;
    private final String plugin;
    private final @Nullable String volume;
    private final StatusCode code;
    private final CallOutcome outcome;
    private final String summary;

    /**
     * A failed call.
     *
     * @param rpc the RPC that was called
     * @param plugin the plugin, as the caller names it
     * @param volume the external volume id (or the snapshot id or name the call was about), or null
     *     where the RPC is about none
     * @param code the status code
     * @param outcome what the failure means
     * @param message the text for the operator, free of sensitive values
     * @param cause why, free of sensitive values, or null
     */
    public CsiCallException(
            Rpc rpc,
            String plugin,
            @Nullable String volume,
            StatusCode code,
            CallOutcome outcome,
            String message,
            @Nullable Throwable cause) {
        this(rpc, plugin, volume, code, outcome, message, head(rpc, plugin, volume) + " failed (" + code + ")", cause);
    }

    /**
     * A failed call whose message may hold a text of the plugin's, and what of the message does not.
     *
     * @param rpc the RPC that was called
     * @param plugin the plugin, as the caller names it
     * @param volume the external volume id (or the snapshot id or name the call was about), or null
     *     where the RPC is about none
     * @param code the status code
     * @param outcome what the failure means
     * @param message the text for the operator, free of sensitive values
     * @param summary the same without any text of the plugin's, see {@link #summary()}
     * @param cause why, free of sensitive values, or null
     */
    public CsiCallException(
            Rpc rpc,
            String plugin,
            @Nullable String volume,
            StatusCode code,
            CallOutcome outcome,
            String message,
            String summary,
            @Nullable Throwable cause) {
        super(message, cause);
        this.summary = Objects.requireNonNull(summary, "summary");
        this.rpc = Objects.requireNonNull(rpc, "rpc");
        this.plugin = Objects.requireNonNull(plugin, "plugin");
        this.volume = volume;
        this.code = Objects.requireNonNull(code, "code");
        this.outcome = Objects.requireNonNull(outcome, "outcome");
    }

    private static String head(Rpc rpc, String plugin, @Nullable String volume) {
        return rpc.csiName() + (volume == null ? "" : " for " + volume) + " at plugin " + plugin;
    }

    @Override
    public String summary() {
        return summary;
    }

    /**
     * The RPC that was called.
     *
     * @return never null
     */
    public Rpc rpc() {
        return rpc;
    }

    /**
     * The plugin, as the caller of the client named it.
     *
     * @return a name, or the endpoint where no name was given
     */
    public String plugin() {
        return plugin;
    }

    /**
     * What the call was about.
     *
     * @return the external volume id, or the snapshot id, or the name of what was to be made; empty
     *     for RPCs about the plugin itself
     */
    public Optional<String> volume() {
        return Optional.ofNullable(volume);
    }

    /**
     * How the call ended.
     *
     * @return never {@link StatusCode#OK}; {@link StatusCode#INTERNAL} also where the answer was OK and
     *     unusable
     */
    public StatusCode code() {
        return code;
    }

    /**
     * What the failure means for the caller.
     *
     * @return the outcome class
     */
    public CallOutcome outcome() {
        return outcome;
    }

    @Override
    public boolean retryable() {
        return outcome.retryable();
    }
}
