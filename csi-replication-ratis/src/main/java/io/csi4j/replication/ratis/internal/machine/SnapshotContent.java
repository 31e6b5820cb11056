package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.state.StateReader;
import io.csi4j.replication.ratis.internal.machine.Sessions.Session;
import io.csi4j.state.CommandCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * The content of a snapshot besides the state: the position in the log, the digest of the commands, and the outcomes
 * that submitters may still ask for.
 *
 * @param position the last entry in the snapshot
 * @param digest the rolling digest
 * @param commands the number of commands in the digest
 * @param sessions the encoded outcomes by origin and number
 */
record SnapshotContent(TermIndex position, ByteString digest, long commands, Map<Long, StoredSession> sessions) {
    /** A session with encoded outcomes. */
    record StoredSession(long answered, SortedMap<Long, byte[]> outcomes) {}

    /** A snapshot that is to be written: the content, and the state at the same position. */
    record Capture(SnapshotContent content, StateReader state) {}

    static SnapshotContent of(TermIndex position, RollingDigest digest, Sessions sessions, CommandCodec codec) {
        Map<Long, StoredSession> stored = new LinkedHashMap<>();
        sessions.all().forEach((origin, session) -> {
            SortedMap<Long, byte[]> outcomes = new TreeMap<>();
            session.outcomes.forEach((number, outcome) -> outcomes.put(number, codec.encodeOutcome(outcome)));
            stored.put(origin, new StoredSession(session.answered, outcomes));
        });
        return new SnapshotContent(position, digest.value(), digest.commands(), stored);
    }

    Map<Long, Session> decodedSessions(CommandCodec codec) {
        Map<Long, Session> decoded = new LinkedHashMap<>();
        sessions.forEach((origin, stored) -> {
            Session session = new Session();
            session.answered = stored.answered();
            stored.outcomes().forEach((number, outcome) -> session.outcomes.put(number, codec.decodeOutcome(outcome)));
            decoded.put(origin, session);
        });
        return decoded;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeLong(position.getTerm());
        out.writeLong(position.getIndex());
        digest.writeTo(out);
        out.writeLong(commands);
        out.writeInt(sessions.size());
        for (var session : sessions.entrySet()) {
            out.writeLong(session.getKey());
            out.writeLong(session.getValue().answered());
            out.writeInt(session.getValue().outcomes().size());
            for (var outcome : session.getValue().outcomes().entrySet()) {
                out.writeLong(outcome.getKey());
                out.writeInt(outcome.getValue().length);
                out.write(outcome.getValue());
            }
        }
    }

    static SnapshotContent read(DataInputStream in) throws IOException {
        TermIndex position = TermIndex.valueOf(in.readLong(), in.readLong());
        ByteString digest = ByteString.copyFrom(in.readNBytes(RollingDigest.LENGTH));
        long commands = in.readLong();
        Map<Long, StoredSession> sessions = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            long origin = in.readLong();
            long answered = in.readLong();
            SortedMap<Long, byte[]> outcomes = new TreeMap<>();
            for (int more = in.readInt(); more > 0; more--) {
                long number = in.readLong();
                outcomes.put(number, in.readNBytes(in.readInt()));
            }
            sessions.put(origin, new StoredSession(answered, outcomes));
        }
        return new SnapshotContent(position, digest, commands, sessions);
    }
}
