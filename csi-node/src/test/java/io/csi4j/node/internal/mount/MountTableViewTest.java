package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MountTableViewTest {
    private static final long BEFORE_ALL = 0;

    private final VirtualTime time = VirtualTime.shuffled(1);
    private final Counted counted = new Counted();
    private final MountTableView shared = new MountTableView(counted, time, new HostCallbacks(time, time));

    /** A table in which each read returns its own number as a mount point. */
    private static class Counted implements MountTable {
        int readings;
        boolean fails;

        @Override
        public MountPoints read() throws IOException {
            readings++;
            if (fails) {
                throw new IOException("it cannot be read");
            }
            return MountPoints.of(List.of(Path.of("/" + readings)));
        }

        @Override
        public Optional<String> bootId() {
            return Optional.empty();
        }
    }

    private static Path displayed(Optional<MountPoints> table) {
        return table.orElseThrow().within(Path.of("/")).get(0);
    }

    @Test
    void oneReadOfMountTableServesAllWaitingRequests() {
        long first = shared.moment();
        long second = shared.moment();
        assertThat(displayed(shared.readAfter(first))).isEqualTo(Path.of("/1"));
        assertThat(displayed(shared.readAfter(second))).isEqualTo(Path.of("/1"));
        assertThat(counted.readings).isEqualTo(1);
    }

    @Test
    void mountTableIsReadAgainIfCallEndedAfterLastRead() {
        shared.read();
        long callEnded = shared.moment();
        assertThat(displayed(shared.readAfter(callEnded))).isEqualTo(Path.of("/2"));
        assertThat(displayed(shared.readAfter(callEnded))).isEqualTo(Path.of("/2"));
        assertThat(counted.readings).isEqualTo(2);
    }

    @Test
    void mountTableReadIsReusedFor100Milliseconds() {
        time.advance(Duration.ofSeconds(1));
        shared.read();
        time.advance(Duration.ofMillis(100));
        assertThat(displayed(shared.readAfter(BEFORE_ALL))).isEqualTo(Path.of("/1"));
        time.advance(Duration.ofMillis(1));
        assertThat(displayed(shared.readAfter(BEFORE_ALL))).isEqualTo(Path.of("/2"));
    }

    @Test
    void explicitReadReturnsCurrentMountTable() {
        shared.read();
        assertThat(displayed(shared.read())).isEqualTo(Path.of("/2"));
    }

    @Test
    void earlierReadIsDroppedIfMountTableBecomesUnreadable() {
        shared.read();
        counted.fails = true;
        assertThat(shared.read()).isEmpty();
        assertThat(shared.readAfter(BEFORE_ALL)).isEmpty();
        counted.fails = false;
        assertThat(displayed(shared.readAfter(BEFORE_ALL))).isEqualTo(Path.of("/4"));
    }

    @Test
    void clockThatIsSetBackDoesNotMakeAnOldMountTableFresh() {
        assertThat(displayed(shared.readAfter(BEFORE_ALL))).isEqualTo(Path.of("/1"));
        time.advance(Duration.ofMillis(150));
        time.setClock(Duration.ofMillis(-150));
        assertThat(displayed(shared.readAfter(BEFORE_ALL))).isEqualTo(Path.of("/2"));
    }

    @Test
    void mountTableReadThatStartedBeforeEndOfCallIsNotReusedAfterCall() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicBoolean slow = new AtomicBoolean(true);
        MountTableView table = new MountTableView(
                new Counted() {
                    @Override
                    public MountPoints read() throws IOException {
                        MountPoints points = super.read();
                        if (slow.getAndSet(false)) {
                            begun.countDown();
                            try {
                                assertThat(goesOn.await(30, TimeUnit.SECONDS)).isTrue();
                            } catch (InterruptedException e) {
                                throw new IOException(e);
                            }
                        }
                        return points;
                    }
                },
                time,
                new HostCallbacks(time, time));
        CompletableFuture<Optional<MountPoints>> reader =
                CompletableFuture.supplyAsync(() -> table.readAfter(BEFORE_ALL));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        long callEnded = table.moment();
        goesOn.countDown();
        assertThat(displayed(reader.get(30, TimeUnit.SECONDS))).isEqualTo(Path.of("/1"));
        assertThat(displayed(table.readAfter(callEnded))).isEqualTo(Path.of("/2"));
    }
}
