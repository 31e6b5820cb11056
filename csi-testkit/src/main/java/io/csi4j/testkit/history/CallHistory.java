package io.csi4j.testkit.history;

import io.csi4j.core.call.Rpc;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The calls that a plugin had received when this history was taken, in the order of their arrival. Immutable. */
public final class CallHistory {
    private static final CallHistory NONE = new CallHistory(List.of(), 0);

    private final List<CallRecord> calls;
    private final long dropped;

    /**
     * Creates a history.
     *
     * @param calls the calls, in the order of their arrival
     * @param dropped the number of earlier calls that are not kept
     */
    public CallHistory(List<CallRecord> calls, long dropped) {
        this.calls = List.copyOf(calls);
        this.dropped = dropped;
    }

    /** Returns a history without calls. */
    public static CallHistory none() {
        return NONE;
    }

    /** Returns the calls, in the order of their arrival. */
    public List<CallRecord> calls() {
        return calls;
    }

    /** Returns the number of calls that came before these and are not kept, because the plugin keeps a limited number. */
    public long dropped() {
        return dropped;
    }

    /** Returns the calls that fulfil a condition. */
    public CallHistory that(Predicate<CallRecord> condition) {
        return new CallHistory(calls.stream().filter(condition).toList(), dropped);
    }

    /** Returns the calls of some RPCs. */
    public CallHistory of(Rpc first, Rpc... more) {
        Set<Rpc> wanted = EnumSet.of(first, more);
        return that(call -> wanted.contains(call.rpc()));
    }

    /** Returns the calls that name a volume. */
    public CallHistory ofVolume(String volumeId) {
        return that(call -> call.volume().filter(volumeId::equals).isPresent());
    }

    /**
     * Returns the calls about a node: those with its id in the request, and those that the plugin on this node
     * received.
     */
    public CallHistory ofNode(String nodeId) {
        return that(call -> call.node().filter(nodeId::equals).isPresent());
    }

    /** Returns the calls that began at or between the two times. */
    public CallHistory between(Instant from, Instant until) {
        return that(call ->
                !call.time().start().isBefore(from) && !call.time().start().isAfter(until));
    }

    /** Returns the calls that arrived after a call with this number. */
    public CallHistory after(long number) {
        return that(call -> call.number() > number);
    }

    /** Returns the calls of RPCs that may change something at the plugin. */
    public CallHistory changing() {
        return that(call -> call.rpc().changesState());
    }

    /** Returns the calls that the plugin refused, and the calls that a fault failed. */
    public CallHistory failed() {
        return that(CallRecord::failed);
    }

    /** Returns the calls that have not ended. */
    public CallHistory inFlight() {
        return that(CallRecord::inFlight);
    }

    /** Returns the last call of an RPC; empty: there was none. */
    public Optional<CallRecord> last(Rpc rpc) {
        return calls.stream().filter(call -> call.rpc() == rpc).reduce((earlier, later) -> later);
    }

    /**
     * Returns the pairs of calls that changed one volume at the same time. CSI wants a caller to avoid such pairs
     * (R26). A pair has two calls to the controller, or two calls to the same node.
     */
    public List<List<CallRecord>> overlaps() {
        List<CallRecord> changing = calls.stream()
                .filter(call -> call.rpc().changesState() && call.volume().isPresent())
                .sorted(Comparator.comparingLong(call -> call.time().startOrder()))
                .toList();
        List<List<CallRecord>> pairs = new ArrayList<>();
        List<CallRecord> open = new ArrayList<>();
        for (CallRecord call : changing) {
            open.removeIf(earlier -> earlier.time().endOrder() < call.time().startOrder());
            open.stream()
                    .filter(earlier -> earlier.rpc().service() == call.rpc().service()
                            && earlier.volume().equals(call.volume())
                            && earlier.time().overlaps(call.time()))
                    .forEach(earlier -> pairs.add(List.of(earlier, call)));
            open.add(call);
        }
        return pairs;
    }

    /**
     * Returns these calls, followed by those of a later process of the same plugin. The calls of the later process get
     * new numbers, which continue the numbers of these calls.
     */
    public CallHistory followedBy(CallHistory later) {
        long numbers = calls.stream().mapToLong(CallRecord::number).max().orElse(dropped);
        long orders = calls.stream()
                .mapToLong(call -> Math.max(
                        call.time().startOrder(),
                        call.inFlight() ? 0 : call.time().endOrder()))
                .max()
                .orElse(0);
        List<CallRecord> all = new ArrayList<>(calls);
        later.calls.forEach(call -> all.add(call.later(numbers, orders)));
        return new CallHistory(all, dropped + later.dropped);
    }

    /** Returns the calls of several plugins, ordered by time. Each call keeps its number. */
    public static CallHistory merged(CallHistory... histories) {
        List<CallRecord> all = new ArrayList<>();
        Arrays.stream(histories).forEach(each -> all.addAll(each.calls));
        all.sort(Comparator.comparing(call -> call.time().start()));
        return new CallHistory(
                all, Arrays.stream(histories).mapToLong(CallHistory::dropped).sum());
    }

    /** Returns the calls as a table with one line for each call, for example for the message of a failed test. */
    public String toTable() {
        return HistoryTable.of(this);
    }

    /**
     * Returns a sequence diagram in the language of Mermaid: the caller, the controller and the nodes of the plugin, an arrow for each request and each answer, a cross for
     * an answer that never came.
     */
    public String toMermaid() {
        return MermaidSequence.of(this);
    }

    /** Returns {@link #toTable}. */
    @Override
    public String toString() {
        return toTable();
    }
}
