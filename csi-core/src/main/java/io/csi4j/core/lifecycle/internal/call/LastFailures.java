package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallFailure;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last failure of each call that changes a volume, with the plugin's own words, for operators; and logs the
 * failures that a person has to look at. Nothing of this is stored, because a text of a plugin may contain a
 * confidential value in a form that the client does not recognize. The memory is limited. Thread-safe.
 */
public final class LastFailures {
    private static final System.Logger LOG = System.getLogger(LastFailures.class.getName());

    /** The largest number of volumes with failures, and of causes in the log, that are remembered. */
    static final int MAX = 5_000;

    /** The largest number of failures of one volume. */
    static final int MAX_OF_VOLUME = 100;

    /** The number of the attempt from which a failure that may pass by itself is logged. */
    static final int LASTING = 3;

    static final Duration LOG_SPACING = Duration.ofMinutes(10);

    private final EnginePorts ports;
    private final Map<VolumeKey, Map<Call, CallFailure>> volumes = limited(MAX);
    private final Map<Cause, Logged> causes = limited(MAX);

    /** A call. It has a failure of each kind at most: it was sent, or its secrets were not available. */
    private record Call(Rpc rpc, Optional<NodeId> nodeId, boolean sent) {}

    /** A cause in the log. The text is no part of it, because a plugin may word each failure differently. */
    private record Cause(PluginId plugin, Rpc rpc, StatusCode code) {}

    private record Logged(Moment at, long left) {}

    LastFailures(EnginePorts ports) {
        this.ports = ports;
    }

    private static <K, V> Map<K, V> limited(int max) {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > max;
            }
        };
    }

    /** Takes note of the end of a call. */
    void ended(CallSubject subject, Optional<NodeId> nodeId, @Nullable Throwable failure) {
        if (!subject.rpc().changesState()) {
            // The caller of a query gets its failure.
            return;
        }
        if (failure == null) {
            subject.volume().ifPresent(volume -> succeeded(volume, subject.rpc(), nodeId));
        } else if (isOfPlugin(subject, Futures.unwrap(failure))) {
            failed(subject, nodeId, Futures.unwrap(failure));
        }
    }

    /**
     * Takes note of the answer of the secrets provider for a call. Without the secrets, the call is not sent, so it has
     * failed; with them, it may be sent.
     */
    public void secrets(CallSubject subject, Optional<NodeId> nodeId, @Nullable Throwable failure) {
        if (failure != null) {
            failed(subject, nodeId, Futures.unwrap(failure));
        } else {
            subject.volume().ifPresent(volume -> remove(volume, Set.of(new Call(subject.rpc(), nodeId, false))));
        }
    }

    /**
     * Returns whether a failure comes from the plugin or the way to it. Other exceptions of csi4j say why a call was not
     * sent; a node reports its own exceptions.
     */
    private static boolean isOfPlugin(CallSubject subject, Throwable failure) {
        boolean onNode = subject.rpc().service() == RpcService.NODE;
        return !(failure instanceof OvertakenException)
                && (onNode || failure instanceof CsiCallException || !(failure instanceof CsiException));
    }

    private void succeeded(VolumeKey volume, Rpc rpc, Optional<NodeId> nodeId) {
        Set<Rpc> ended = new HashSet<>(Set.of(rpc));
        rpc.opposite().ifPresent(ended::add);
        remove(
                volume,
                ended.stream()
                        .flatMap(one -> Stream.of(new Call(one, nodeId, true), new Call(one, nodeId, false)))
                        .collect(Collectors.toSet()));
    }

    private synchronized void remove(VolumeKey volume, Set<Call> calls) {
        Map<Call, CallFailure> failures = volumes.get(volume);
        if (failures != null && failures.keySet().removeAll(calls) && failures.isEmpty()) {
            volumes.remove(volume);
        }
    }

    private void failed(CallSubject subject, Optional<NodeId> nodeId, Throwable failure) {
        Instant now = ports.clock().instant();
        String text = OneLine.of(Failures.text(failure));
        StatusCode code = Failures.code(failure);
        subject.volume()
                .ifPresent(volume -> keep(
                        volume,
                        new Call(subject.rpc(), nodeId, !(failure instanceof NoSecretsException)),
                        code,
                        text,
                        now));
        if (needsPerson(subject, failure)) {
            log(subject, code, text);
        }
    }

    private synchronized void keep(VolumeKey volume, Call call, StatusCode code, String text, Instant now) {
        Map<Call, CallFailure> failures = volumes.computeIfAbsent(volume, key -> limited(MAX_OF_VOLUME));
        CallFailure before = failures.get(call);
        failures.put(
                call,
                new CallFailure(
                        call.rpc(),
                        call.nodeId(),
                        code,
                        text,
                        call.sent(),
                        before == null ? 1 : before.failures() + 1,
                        before == null ? now : before.since(),
                        now));
    }

    /**
     * Returns whether a failure is logged: one that will not pass by itself, as absent secrets, or that has not passed
     * after several attempts. A permanent refusal is not logged, because the caller gets it.
     */
    private static boolean needsPerson(CallSubject subject, Throwable failure) {
        boolean permanent = failure instanceof CsiException && RetryLoop.isPermanent(failure);
        return !permanent
                && (subject.attempt() >= LASTING
                        || failure instanceof NoSecretsException
                        || Failures.outcome(failure) == CallOutcome.RETRY_AFTER_CAUSE);
    }

    private void log(CallSubject subject, StatusCode code, String text) {
        Cause cause = new Cause(subject.plugin(), subject.rpc(), code);
        long left;
        synchronized (this) {
            Logged before = causes.get(cause);
            if (before != null && before.at().age().compareTo(LOG_SPACING) < 0) {
                causes.put(cause, new Logged(before.at(), before.left() + 1));
                return;
            }
            left = before == null ? 0 : before.left();
            causes.put(cause, new Logged(ports.moment(), 0));
        }
        LOG.log(
                Level.WARNING,
                "Attempt {0} of {1} for {2} failed, and it is tried again: {3}{4}",
                subject.attempt(),
                subject.rpc().csiName(),
                subject.volume().map(key -> "volume " + key).orElse("plugin " + subject.plugin()),
                text,
                left == 0 ? "" : " (" + left + " more such failures of the plugin since the last line)");
    }

    /** Drops all failures: another server makes the calls from now on, so their success would not end them here. */
    public synchronized void clear() {
        volumes.clear();
    }

    /** Returns the volumes with calls that have failed and have not succeeded since. */
    public synchronized SortedSet<VolumeKey> volumes() {
        return new TreeSet<>(volumes.keySet());
    }

    /** Returns the last failures of the calls for a volume, the latest first. */
    public synchronized List<CallFailure> of(VolumeKey volume) {
        List<CallFailure> all =
                new ArrayList<>(volumes.getOrDefault(volume, Map.of()).values());
        all.sort(Comparator.comparing(CallFailure::at).reversed());
        return all;
    }
}
