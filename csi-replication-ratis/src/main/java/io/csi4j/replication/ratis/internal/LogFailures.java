package io.csi4j.replication.ratis.internal;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.internal.machine.EntryRefusedException;
import io.csi4j.replication.ratis.internal.peer.PeerServer;
import io.csi4j.replication.ratis.internal.submit.Submitter;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions that a caller gets if its command could not be submitted, or its outcome is unknown. */
final class LogFailures implements Submitter.Failures {
    private final LogSettings settings;
    private final CompletableFuture<PeerServer> server;

    LogFailures(LogSettings settings, CompletableFuture<PeerServer> server) {
        this.settings = settings;
        this.server = server;
    }

    @Override
    public RuntimeException overloaded(String pending) {
        return new LogOverloadedException("RatisCommandLog: too many commands wait for the log (" + pending
                + "); the command was not submitted. Submit it again later, or raise pendingCommands and pendingBytes");
    }

    @Override
    public RuntimeException unanswered(@Nullable Throwable lastFailure) {
        if (lastFailure instanceof NotLeaderException) {
            return new NoLeaderException(
                    "RatisCommandLog: there was no leader for " + Durations.text(settings.options.submitTimeout())
                            + ". Peer "
                            + settings.self + " knows the peers " + peers() + "; a majority of them must run and reach"
                            + " each other. The command may still be applied; submit it again when there is a leader",
                    lastFailure);
        }
        return new UnansweredCommandException(
                "RatisCommandLog: a command was not answered within " + Durations.text(settings.options.submitTimeout())
                        + "; it may have been applied, or may still be. Submit it again"
                        + (lastFailure == null ? "" : ". The last failure was: " + lastFailure.getMessage()),
                lastFailure);
    }

    @Override
    public RuntimeException refused(EntryRefusedException reason) {
        return new CsiException(
                "RatisCommandLog: the command was not submitted: " + reason.getMessage()
                        + ". Let all peers run the same version, with the same keys",
                reason);
    }

    private String peers() {
        return server.join().peers().stream().map(LogFailures::described).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String described(Peer peer) {
        return peer.id() + " at " + peer.address();
    }

    static CsiException closedMeanwhile() {
        return new UnansweredCommandException(
                "RatisCommandLog: the log was closed before the command had its outcome; it may have been applied, or"
                        + " may still be. Submit it again at another peer, or after a restart",
                null);
    }

    static CsiException forgotten(Command command) {
        return new UnansweredCommandException(
                "RatisCommandLog: the outcome of " + command.getClass().getSimpleName()
                        + " is not known any more, because this peer was cut off for long; submit it again",
                null);
    }

    /** Rejects a command that is too long for an entry. */
    static void checkSize(Command command, int size) {
        if (size > PeerServer.LONGEST_COMMAND) {
            throw new CommandTooLargeException(
                    "RatisCommandLog: " + command.getClass().getSimpleName() + " has " + size
                            + " bytes, and a command may have at most " + PeerServer.LONGEST_COMMAND
                            + "; split it into smaller ones");
        }
    }
}
