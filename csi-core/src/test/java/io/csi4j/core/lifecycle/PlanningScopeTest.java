package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** How much the engine looks at: what changed, and not everything for every change. */
class PlanningScopeTest {
    private static final int MANY = 200;

    /** Counts how often the engine reads each volume. */
    private static final class CountingLog implements CommandLog, ObservableState {
        private final CommandLog log;
        final TreeMap<VolumeKey, Integer> reads = new TreeMap<>();
        int listings;

        CountingLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            return log.submit(command);
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            StateReader reader = log.state().snapshot();
            return (StateReader) Proxy.newProxyInstance(
                    StateReader.class.getClassLoader(),
                    new Class<?>[] {StateReader.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("volume")) {
                            reads.merge((VolumeKey) arguments[0], 1, Integer::sum);
                        } else if (method.getName().equals("volumes")) {
                            listings++;
                        }
                        try {
                            return method.invoke(reader, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return log.state().newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return log.state().subscribe(scope, index, listener);
        }

        @Override
        public Subscription subscribeUnsettled(long index, VolumeListener listener) {
            return log.state().subscribeUnsettled(index, listener);
        }
    }

    private static VolumeKey other(int i) {
        return VolumeKey.of("default", "other-" + i);
    }

    @Test
    void changeToOneVolumeStartsPlanningOfThatVolumeOnly() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = LifecycleRig.leading(log -> {
            logs.add(new CountingLog(log));
            return logs.get(0);
        });
        CountingLog log = logs.get(0);
        for (int i = 0; i < MANY; i++) {
            rig.volume(other(i));
        }
        rig.volume(VOL);
        log.reads.clear();
        log.listings = 0;
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.done(rig.host.claims().release(VOL, AllocationId.of("a")));
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(log.reads.keySet()).containsExactly(VOL);
        assertThat(log.reads.get(VOL)).isLessThan(100);
        assertThat(log.listings).isZero();
    }

    /** Those that wait for something else are not planned for, called for or written about when another changes. */
    @Test
    void changeToOneVolumeDoesNotWakeOtherWaitingVolumes() {
        List<CountingLog> logs = new ArrayList<>();
        LifecycleRig rig = LifecycleRig.leading(log -> {
            logs.add(new CountingLog(log));
            return logs.get(0);
        });
        CountingLog log = logs.get(0);
        for (int i = 0; i < MANY; i++) {
            rig.volume(other(i));
            rig.allocation("a" + i, "n2");
            rig.done(rig.host
                    .claims()
                    .claim(AllocationId.of("a" + i), List.of(LifecycleRig.write(other(i), LifecycleRig.SHARED))));
        }
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DOWN, "", rig.clock.instant()));
        for (int i = 0; i < MANY; i++) {
            rig.allocation("a" + i, "n2", AllocationStatus.ENDED);
        }
        assertThat(rig.workers())
                .as("a volume that waits for an event has no worker")
                .isZero();
        rig.volume(VOL);
        log.reads.clear();
        int commands = rig.log.commands.size();
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.done(rig.host.claims().release(VOL, AllocationId.of("a")));
        assertThat(rig.calls())
                .containsExactly(
                        "CONTROLLER_PUBLISH_VOLUME", "NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
        List<Command> written = rig.log.commands.subList(commands, rig.log.commands.size());
        assertThat(written).noneMatch(command -> command.toString().contains("other-"));
        // They are not even leafed through to see which of them changed.
        assertThat(log.reads.keySet()).containsExactly(VOL);
    }

    /** A state with a million volumes that nobody uses; they are made as they are listed. */
    private static final class Million implements CommandLog, ObservableState {
        static final int COUNT = 1_000_000;
        private final NaiveState state = new NaiveState();
        private final Volume pattern = Volume.builder(
                        VolumeKey.of("default", "pattern"), LifecycleRig.spec().build(), 1, Instant.EPOCH)
                .build();
        int listed;

        private static VolumeKey key(int i) {
            return VolumeKey.of("default", String.valueOf(COUNT + i));
        }

        private ListPage<Volume, VolumeKey> page(VolumeQuery query) {
            int from = query.after()
                    .map(after -> Integer.parseInt(after.volumeId().value()) - COUNT + 1)
                    .orElse(0);
            List<Volume> items = new ArrayList<>();
            for (int i = from; i < COUNT && items.size() < query.limit(); i++) {
                items.add(
                        Volume.builder(key(i), pattern.spec(), 1, Instant.EPOCH).build());
            }
            listed += items.size();
            boolean more = from + items.size() < COUNT;
            return new ListPage<>(items, more ? Optional.of(key(from + items.size() - 1)) : Optional.empty());
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            throw new AssertionError("unexpected command: " + command);
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            return (StateReader) Proxy.newProxyInstance(
                    StateReader.class.getClassLoader(),
                    new Class<?>[] {StateReader.class},
                    (proxy, method, arguments) -> method.getName().equals("volumes")
                            ? page((VolumeQuery) arguments[0])
                            : method.invoke(state, arguments));
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return new CompletableFuture<>();
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return () -> {};
        }
    }

    @Test
    void millionIdleVolumesHaveNoWorkersAndNoTimers() {
        VirtualTime clock = VirtualTime.inOrder();
        Million log = new Million();
        VolumeLifecycle host = VolumeLifecycle.builder()
                .log(log)
                .gateway(new HandGateway(new FakeProvider()))
                .environment(clock.environment(new Random(5)))
                .callbackExecutor(clock)
                .build();
        host.startLeading();
        int max = 0;
        while (clock.step()) {
            max = Math.max(max, host.engine().claims().workers());
        }
        assertThat(log.listed).as("the first scan lists each volume once").isEqualTo(Million.COUNT);
        assertThat(max).isZero();
        assertThat(clock.timers())
                .as("the timers of the next two scans, plugin removal, and questions to nodes and about capacity")
                .isEqualTo(5);
        clock.advance(Duration.ofSeconds(59));
        assertThat(log.listed).isEqualTo(Million.COUNT);
        host.stopLeading();
        clock.run();
        assertThat(clock.timers()).isZero();
    }
}
