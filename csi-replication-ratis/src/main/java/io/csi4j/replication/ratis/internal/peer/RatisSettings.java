package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.replication.ratis.RatisLogOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.thirdparty.io.netty.channel.epoll.Epoll;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** The settings of Ratis that csi4j depends on. Ratis has its default values for all other settings. */
final class RatisSettings {
    /** The longest entry of the log; a longer command is rejected when it is submitted. */
    static final int LONGEST_ENTRY = 4 << 20;

    private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("8MB");
    private static final SizeInBytes PREALLOCATED = SizeInBytes.valueOf("1MB");
    /** The buffer size: Ratis needs room for the longest entry with its length and checksum. */
    private static final SizeInBytes WRITE_BUFFER = SizeInBytes.valueOf(LONGEST_ENTRY + (1L << 16));

    private static final int KEPT_SNAPSHOTS = 2;
    /**
     * The time for which Ratis remembers requests. It may be short, because the state machine itself recognizes
     * repeated commands.
     */
    private static final TimeDuration RETRY_CACHE = TimeDuration.valueOf(5, TimeUnit.SECONDS);
    /**
     * The pause of a process after which Ratis stops the peer: so long that a peer continues after its machine was
     * suspended.
     */
    private static final TimeDuration LONGEST_PAUSE = TimeDuration.valueOf(1000, TimeUnit.DAYS);

    /** The time without a leader after which the log says so. */
    private static final TimeDuration LEADERLESS = TimeDuration.valueOf(10, TimeUnit.SECONDS);

    /** The silence after which a peer that is being added counts as unreachable; its first connection may take long. */
    private static final TimeDuration NEW_PEER = TimeDuration.valueOf(10, TimeUnit.SECONDS);

    /** The threads that read and write the connections of other peers. */
    private static final int PORT_THREADS = 2;

    private RatisSettings() {}

    static RaftProperties of(Path directory, RatisLogOptions options, boolean alone) {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
        RaftServerConfigKeys.setCloseThreshold(properties, LONGEST_PAUSE);
        RaftServerConfigKeys.setStagingTimeout(properties, NEW_PEER);
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, RETRY_CACHE);
        times(properties, options, alone);
        threads(properties);
        log(properties);
        snapshots(properties, options);
        RaftServerConfigKeys.Write.setElementLimit(properties, 2 * options.pendingCommands());
        RaftServerConfigKeys.Write.setByteLimit(
                properties, SizeInBytes.valueOf(2 * Math.max(options.pendingBytes(), LONGEST_ENTRY)));
        return properties;
    }

    /** Gives the port threads of its own, because its gate names the kind of sockets that fits them. */
    private static void threads(RaftProperties properties) {
        GrpcConfigKeys.setUseEpoll(properties, Epoll.isAvailable());
        GrpcConfigKeys.Server.setBossGroupSize(properties, 1);
        GrpcConfigKeys.Server.setWorkerGroupSize(properties, PORT_THREADS);
    }

    private static void times(RaftProperties properties, RatisLogOptions options, boolean alone) {
        Duration shortest = options.electionTimeout();
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, time(shortest));
        RaftServerConfigKeys.Rpc.setTimeoutMax(
                properties, time(shortest.multipliedBy(3).dividedBy(2)));
        RaftServerConfigKeys.Notification.setNoLeaderTimeout(properties, LEADERLESS);
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, time(shortest));
        if (alone) {
            RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, time(Duration.ofMillis(1)));
            RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, time(Duration.ofMillis(2)));
        }
    }

    /**
     * Sets the options of the log. Turns off both modes in which Ratis would not wait for the disk, so that each peer
     * counts an entry as stored only after the entry is flushed to disk.
     */
    private static void log(RaftProperties properties) {
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
        // Turns off the metadata entries, because Ratis would add one to the log for each commit. They are not needed:
        // a new leader commits all earlier entries in any case.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, PREALLOCATED);
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, WRITE_BUFFER);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(LONGEST_ENTRY));
    }

    private static void snapshots(RaftProperties properties, RatisLogOptions options) {
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, options.snapshotInterval());
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, KEPT_SNAPSHOTS);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, options.snapshotInterval());
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    }

    static TimeDuration time(Duration duration) {
        return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
    }
}
