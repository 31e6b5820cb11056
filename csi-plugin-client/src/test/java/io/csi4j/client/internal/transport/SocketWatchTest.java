package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketWatchTest {
    @TempDir
    Path directory;

    /** The elapsed time, which begins near the largest value, because a monotonic clock may overflow. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SocketWatch.INTERVAL_NANOS / 2);

    private Path socket;
    private SocketWatch watch;
    private int made;

    @BeforeEach
    void connect() throws Exception {
        socket = directory.resolve("x.sock");
        make(socket);
        watch = new SocketWatch(socket, now::get);
        watch.connecting();
    }

    private void make(Path path) throws Exception {
        Files.createFile(path);
        Files.setLastModifiedTime(path, FileTime.fromMillis(++made));
    }

    private void replace() throws Exception {
        Path other = directory.resolve("other");
        make(other);
        Files.move(other, socket, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private boolean movedLater() {
        now.addAndGet(SocketWatch.INTERVAL_NANOS);
        return watch.replaced();
    }

    @Test
    void unchangedSocketFileIsNotReported() {
        assertThat(watch.replaced()).isFalse();
        assertThat(movedLater()).isFalse();
        assertThat(movedLater()).isFalse();
    }

    @Test
    void eachReplacedSocketIsReportedOnce() throws Exception {
        replace();
        assertThat(movedLater()).isTrue();
        assertThat(movedLater()).isFalse();
        replace();
        assertThat(movedLater()).isTrue();
        watch.connecting();
        assertThat(movedLater()).isFalse();
    }

    @Test
    void removedSocketFileIsNotReportedAsReplaced() throws Exception {
        Files.delete(socket);
        assertThat(movedLater()).isFalse();
        make(socket);
        assertThat(movedLater()).isTrue();
    }

    @Test
    void replacedSocketWithSameInodeIsReported() throws Exception {
        Files.setLastModifiedTime(socket, FileTime.fromMillis(99));
        assertThat(movedLater()).isTrue();
    }

    @Test
    void socketFileIsCheckedAtIntervalsAndAfterFailures() throws Exception {
        assertThat(watch.replaced()).isFalse();
        replace();
        now.addAndGet(SocketWatch.INTERVAL_NANOS - 1);
        assertThat(watch.replaced()).isFalse();
        watch.checkSoon();
        assertThat(watch.replaced()).isTrue();
    }

    @Test
    void socketCreatedAfterFailedConnectIsReported() throws Exception {
        Files.delete(socket);
        watch.connecting();
        assertThat(movedLater()).isFalse();
        make(socket);
        assertThat(movedLater()).isTrue();
    }
}
