package io.csi4j.core.call;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reports a call to a plugin that ended without a usable response. Its {@link #outcome()} says how to continue. */
public final class CsiCallException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final Rpc rpc;
    private final String plugin;
    private final @Nullable String volume;
    private final StatusCode code;
    private final CallOutcome outcome;
    private final String summary;

    /**
     * Creates the exception.
     *
     * @param plugin the plugin's name in messages
     * @param volume the object that the call was about: the external id of the volume, the id of the snapshot, or the
     *     name of the object to create; null if the call was about the plugin itself
     * @param outcome the outcome for the caller
     * @param message the text for operators, without sensitive values
     * @param cause the cause, without sensitive values, or null
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
     * Creates the exception with a message that may contain a text of the plugin.
     *
     * @param plugin the plugin's name in messages
     * @param volume the object that the call was about: the external id of the volume, the id of the snapshot, or the
     *     name of the object to create; null if the call was about the plugin itself
     * @param outcome the outcome for the caller
     * @param message the text for operators, without sensitive values
     * @param summary the message without any text of the plugin, see {@link #summary()}
     * @param cause the cause, without sensitive values, or null
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

    public Rpc rpc() {
        return rpc;
    }

    /** Returns the plugin's name in messages: the name that was given to the client, or else its endpoint. */
    public String plugin() {
        return plugin;
    }

    /**
     * Returns the subject of the call: the external id of the volume, the snapshot's id, or the name of the object to create; empty for
     * RPCs about the plugin itself.
     */
    public Optional<String> volume() {
        return Optional.ofNullable(volume);
    }

    /**
     * Returns the status code of the call. If the plugin responded OK and the response was unusable, the code is
     * {@link StatusCode#INTERNAL}.
     */
    public StatusCode code() {
        return code;
    }

    /** Returns the outcome of the call, which says how to continue. */
    public CallOutcome outcome() {
        return outcome;
    }

    @Override
    public boolean retryable() {
        return outcome.retryable();
    }
}
