package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.command.Command;
import io.csi4j.replication.ratis.internal.machine.LogEntry.UnknownEntryException;
import io.csi4j.replication.ratis.internal.machine.RollingDigest.Point;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.CommandFormatException;
import io.csi4j.state.NewerFormatException;
import java.util.function.Predicate;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** Reads the stored form of entries. */
final class EntryReader {
    private final CommandCodec codec;

    EntryReader(CommandCodec codec) {
        this.codec = codec;
    }

    /** An entry with its command; null: it is of another kind. */
    record ReadEntry(LogEntry entry, @Nullable Command command) {}

    /**
     * Reads an entry of the log.
     *
     * @throws RuntimeException if this version cannot read it
     */
    ReadEntry read(ByteString stored) {
        LogEntry entry = LogEntry.decode(stored.asReadOnlyByteBuffer());
        return new ReadEntry(
                entry,
                entry.kind() == LogEntry.Kind.COMMAND
                        ? codec.decodeCommand(entry.content().toByteArray())
                        : null);
    }

    /**
     * Reads a request to the leader, which is not in the log yet.
     *
     * @param differs returns whether a digest is known not to be that of the leader
     * @throws RuntimeException if a peer could not apply the entry
     */
    ReadEntry readRequest(ByteString stored, Predicate<Point> differs) {
        ReadEntry read = read(stored);
        LogEntry entry = read.entry();
        if (entry.kind() == LogEntry.Kind.BARRIER && !entry.content().isEmpty()) {
            throw new UnknownEntryException("a barrier has no content");
        }
        if (entry.kind() == LogEntry.Kind.CHECK && differs.test(point(entry.content()))) {
            throw new UnknownEntryException("its digest is not that of the leader");
        }
        return read;
    }

    /** Reads the content of an entry of kind CHECK. */
    static Point point(ByteString content) {
        if (content.size() != Long.BYTES + RollingDigest.LENGTH) {
            throw new UnknownEntryException("its digest has " + content.size() + " bytes");
        }
        return new Point(content.asReadOnlyByteBuffer().getLong(), content.substring(Long.BYTES));
    }

    /** Returns whether a failure says that the bytes of an entry cannot be read. */
    static boolean unreadable(RuntimeException failure) {
        return failure instanceof UnknownEntryException
                || failure instanceof CommandFormatException
                || failure instanceof NewerFormatException;
    }
}
