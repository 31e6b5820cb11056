package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.api.Operation.End;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The operations that this server has started: all that run, and the latest that have ended. Their number and size are
 * limited, for each caller and in all, so that a caller can displace few operations of others. Thread-safe.
 */
final class KeptOperations {
    /**
     * The limits. A caller may have a quarter of the operations.
     *
     * @param operations the largest number of operations that run, and of those that have ended
     * @param bytes the largest size of all results that are kept, in bytes; the latest result is kept in any case
     */
    record Limits(int operations, long bytes) {
        static final Limits DEFAULT = new Limits(4096, 16 << 20);

        int ofCaller() {
            return Math.max(1, operations / 4);
        }
    }

    /** Creates an operation. */
    @FunctionalInterface
    interface Creation {
        Operation of(long number, String id);
    }

    /**
     * The answer to a begin.
     *
     * @param joined whether the operation was there before
     */
    record Begun(Operation operation, boolean joined) {}

    private record Key(String caller, String key) {}

    /** An operation with its place in the other collections. */
    private static final class Entry {
        private final Operation operation;
        private final OfCaller own;
        private Optional<Key> key;
        private long bytes;

        private Entry(Operation operation, OfCaller own, Optional<Key> key) {
            this.operation = operation;
            this.own = own;
            this.key = key;
        }
    }

    /** The operations of a caller. */
    private static final class OfCaller {
        private int running;
        private final LinkedHashSet<Entry> ended = new LinkedHashSet<>();
    }

    private final Limits limits;
    /** The beginning of each id, so that the ids of a restarted server are new. */
    private final String prefix;

    private final TreeMap<Long, Entry> all = new TreeMap<>();
    private final Map<Key, Entry> keys = new HashMap<>();
    private final Map<String, OfCaller> callers = new HashMap<>();
    private final LinkedHashSet<Entry> ended = new LinkedHashSet<>();
    private long next;
    private long bytes;

    /** @param start a random number */
    KeptOperations(Limits limits, long start) {
        this.limits = limits;
        this.prefix = String.format("%08x-", start & 0xffffffffL);
    }

    /**
     * Begins an operation, or finds the one that the caller has begun with the key.
     *
     * @param digest identifies the request
     */
    synchronized Begun begin(String caller, Optional<String> key, String digest, Creation creation) {
        Optional<Key> full = key.map(text -> new Key(caller, text));
        Optional<Operation> known = full.map(keys::get).map(entry -> entry.operation);
        if (known.isPresent()) {
            if (!known.get().digest.equals(digest)) {
                throw otherRequest(key.orElseThrow(), known.get());
            }
            return new Begun(known.get(), true);
        }
        OfCaller own = callers.get(caller);
        int running = own == null ? 0 : own.running;
        if (running >= limits.ofCaller() || all.size() - ended.size() >= limits.operations()) {
            throw tooMany(running);
        }
        long number = ++next;
        Entry entry = new Entry(
                creation.of(number, prefix + number), callers.computeIfAbsent(caller, name -> new OfCaller()), full);
        entry.own.running++;
        all.put(number, entry);
        full.ifPresent(text -> keys.put(text, entry));
        return new Begun(entry.operation, false);
    }

    private static FailureException otherRequest(String key, Operation known) {
        return new FailureException(Failure.of(
                "key-in-use",
                422,
                "the Idempotency-Key " + key + " belongs to operation " + known.id + " ("
                        + String.join(" ", known.command, known.object).strip()
                        + "), which had another request; use another key"));
    }

    private static FailureException tooMany(int own) {
        return new FailureException(new Failure(
                "too-many-operations",
                429,
                "too many operations have not ended, " + own + " of them yours; wait for one of them, or cancel it",
                true,
                Optional.empty(),
                List.of()));
    }

    /** Removes an operation that has started nothing, because its request could not be read. */
    void discard(Operation operation, End end) {
        synchronized (this) {
            Entry entry = all.get(operation.number);
            if (entry != null) {
                entry.own.running--;
                remove(entry);
            }
        }
        operation.end(end);
    }

    /** Records the end of an operation, and removes the oldest ones that are too many. */
    void ended(Operation operation, End end) {
        synchronized (this) {
            Entry entry = all.get(operation.number);
            if (entry == null) {
                return;
            }
            OfCaller own = entry.own;
            own.running--;
            own.ended.add(entry);
            ended.add(entry);
            entry.bytes = end.size();
            bytes += entry.bytes;
            if (end.problem().filter(KeptOperations::mayStartAgain).isPresent()) {
                freeKey(entry);
            }
            if (own.ended.size() > limits.ofCaller()) {
                remove(own.ended.iterator().next());
            }
            while (ended.size() > limits.operations() || (bytes > limits.bytes() && ended.size() > 1)) {
                remove(ended.iterator().next());
            }
        }
        operation.end(end);
    }

    private void remove(Entry entry) {
        all.remove(entry.operation.number);
        ended.remove(entry);
        bytes -= entry.bytes;
        freeKey(entry);
        entry.own.ended.remove(entry);
        if (entry.own.running == 0 && entry.own.ended.isEmpty()) {
            callers.remove(entry.operation.caller);
        }
    }

    private void freeKey(Entry entry) {
        entry.key.ifPresent(keys::remove);
        entry.key = Optional.empty();
    }

    /** Returns whether the same request has to start again: it may succeed now, or it was refused and nothing was done. */
    private static boolean mayStartAgain(Failure problem) {
        return problem.retryable() || problem.status() == 403;
    }

    synchronized Optional<Operation> find(String id) {
        if (!id.startsWith(prefix)) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(all.get(Long.parseLong(id.substring(prefix.length()))))
                    .map(entry -> entry.operation)
                    .filter(operation -> operation.id.equals(id));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns operations, the latest first.
     *
     * @param before the number of the operation before which the list begins
     */
    synchronized List<Operation> list(long before, int limit, Predicate<Operation> filter) {
        return all.headMap(before, false).descendingMap().values().stream()
                .map(entry -> entry.operation)
                .filter(filter)
                .limit(limit)
                .toList();
    }

    /** Returns the size of all results that are kept, in bytes. */
    synchronized long bytes() {
        return bytes;
    }

    /** Returns the number of operations. */
    synchronized int size() {
        return all.size();
    }
}
