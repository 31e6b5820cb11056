package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.volume.Volume;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * A digest of all commands since the first one, with their indexes and a summary of their outcomes. Peers whose digests
 * differ at an index have different states. Not thread-safe.
 */
final class RollingDigest {
    static final int LENGTH = 32;
    private static final int KEPT = 32;

    private final long interval;
    private final MessageDigest sha = sha256();
    private ByteString value = UnsafeByteOperations.unsafeWrap(new byte[LENGTH]);
    private long commands;
    private final Deque<Point> points = new ArrayDeque<>();

    /** The digest of all commands up to the one at {@code index}. */
    record Point(long index, ByteString digest) {}

    RollingDigest(long interval) {
        this.interval = interval;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("RatisCommandLog: this JDK has no SHA-256", e);
        }
    }

    /**
     * Adds a command.
     *
     * @return the digest that the peers have to compare now; empty: no comparison is due
     */
    Optional<Point> add(long index, ByteString command, Outcome outcome) {
        sha.update(value.asReadOnlyByteBuffer());
        sha.update(ByteBuffer.allocate(Long.BYTES).putLong(index).array());
        sha.update(command.asReadOnlyByteBuffer());
        sha.update(summary(outcome).getBytes(StandardCharsets.UTF_8));
        value = UnsafeByteOperations.unsafeWrap(sha.digest());
        commands++;
        if (commands % interval != 0) {
            return Optional.empty();
        }
        Point point = new Point(index, value);
        points.addLast(point);
        if (points.size() > KEPT) {
            points.removeFirst();
        }
        return Optional.of(point);
    }

    /** Summarizes an outcome. Encoding it whole is too slow, because it has whole volumes with all their claims. */
    private static String summary(Outcome outcome) {
        return outcome.fold(
                accepted -> accepted.effects().stream()
                        .map(RollingDigest::summary)
                        .collect(Collectors.joining(",", accepted.changed() + ":", "")),
                rejected -> rejected.reason().getClass().getSimpleName());
    }

    private static String summary(Effect effect) {
        String kind = effect.getClass().getSimpleName();
        if (effect instanceof Effect.VolumeStored stored) {
            return kind + summary(stored.volume());
        }
        return effect instanceof Effect.ClaimTaken taken ? kind + summary(taken.volume()) : kind;
    }

    private static String summary(Volume volume) {
        return volume.key() + "@" + volume.modifyIndex() + "/" + volume.claims().size() + "/"
                + volume.attachments().size();
    }

    /**
     * Returns whether this peer had a different digest at the index of {@code other}; false if this peer no longer
     * keeps its digest of that index.
     */
    boolean differs(Point other) {
        return points.stream()
                .anyMatch(point ->
                        point.index() == other.index() && !point.digest().equals(other.digest()));
    }

    ByteString value() {
        return value;
    }

    long commands() {
        return commands;
    }

    /** Replaces the digest and the number of commands by the values of a snapshot. */
    void restore(ByteString digest, long count) {
        value = digest;
        commands = count;
        points.clear();
    }
}
