package io.csi4j.replication.ratis.internal.submit;

import io.csi4j.replication.ratis.internal.machine.LogEntry;
import java.util.TreeSet;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Numbers the entries of this process, and keeps those that still wait for an answer. Thread-safe. */
final class EntryNumbers {
    private final long origin;

    // The monitor of this object guards the fields below.
    private long last;
    private final TreeSet<Long> waiting = new TreeSet<>();

    EntryNumbers(long origin) {
        this.origin = origin;
    }

    synchronized LogEntry next(LogEntry.Kind kind, ByteString content) {
        last++;
        waiting.add(last);
        return new LogEntry(kind, origin, last, waiting.first(), content);
    }

    synchronized void answered(LogEntry entry) {
        waiting.remove(entry.number());
    }
}
