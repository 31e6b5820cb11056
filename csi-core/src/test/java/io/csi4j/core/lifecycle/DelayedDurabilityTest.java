package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log that needs seconds until a command is durable. No call to a plugin begins before its intent is durable. */
class DelayedDurabilityTest {
    private static final Duration DELAY = Duration.ofSeconds(5);

    private static final Set<Rpc> CHANGES = EnumSet.of(
            Rpc.CREATE_VOLUME,
            Rpc.CONTROLLER_PUBLISH_VOLUME,
            Rpc.CONTROLLER_MODIFY_VOLUME,
            Rpc.CONTROLLER_EXPAND_VOLUME,
            Rpc.NODE_UNPUBLISH_VOLUME,
            Rpc.CONTROLLER_UNPUBLISH_VOLUME,
            Rpc.DELETE_VOLUME);

    enum Order {
        /** The log keeps its contract, and completes the future when the state shows the command. */
        DURABLE_THEN_VISIBLE,
        /** The log keeps its contract, and completes the future seconds after the state shows the command. */
        DURABLE_THEN_VISIBLE_THEN_ANSWERED,
        /** The log breaks its contract: the state shows the command at once. */
        VISIBLE_THEN_DURABLE
    }

    private static final class SlowLog implements CommandLog {
        private final CommandLog log;
        private final Order order;
        private VirtualTime clock;
        private int pending;

        SlowLog(CommandLog log, Order order) {
            this.log = log;
            this.order = order;
        }

        void slowDown(VirtualTime clock) {
            this.clock = clock;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            if (clock == null) {
                return log.submit(command);
            }
            CompletableFuture<Outcome> answer = new CompletableFuture<>();
            pending++;
            if (order == Order.VISIBLE_THEN_DURABLE) {
                Outcome outcome = log.submit(command).join();
                clock.schedule(DELAY, () -> {
                    pending--;
                    answer.complete(outcome);
                });
            } else {
                clock.schedule(DELAY, () -> {
                    pending--;
                    Outcome outcome = log.submit(command).join();
                    Duration more = order == Order.DURABLE_THEN_VISIBLE ? Duration.ZERO : DELAY;
                    clock.schedule(more, () -> answer.complete(outcome));
                });
            }
            return answer;
        }

        /** Returns whether each submitted command is durable. */
        boolean allDurable() {
            return pending == 0;
        }

        @Override
        public ObservableState state() {
            return log.state();
        }
    }

    private static final class SlowRig {
        final LifecycleRig rig;
        final Set<Rpc> called = new TreeSet<>();
        final List<String> early = new ArrayList<>();
        private SlowLog log;

        SlowRig(Order order) {
            rig = LifecycleRig.leading(plain -> log = new SlowLog(plain, order));
            log.slowDown(rig.clock);
            rig.gateway.script = call -> {
                called.add(call.rpc());
                if (!log.allDurable() && CHANGES.contains(call.rpc())) {
                    early.add(call.toString());
                }
                call.succeed();
                return true;
            };
        }

        /** Runs an operation that ends with a call, and checks that the call waits for the intent. */
        <R> R operation(Rpc rpc, Supplier<CompletableFuture<R>> operation) {
            int before = rig.gateway.requests(rpc).size();
            CompletableFuture<R> result = operation.get();
            rig.run();
            rig.clock.advance(DELAY.minusMillis(1));
            assertThat(rig.gateway.requests(rpc)).hasSize(before);
            rig.clock.advance(Duration.ofMinutes(10));
            assertThat(rig.gateway.requests(rpc)).hasSizeGreaterThan(before);
            assertThat(result).isCompleted();
            return result.join();
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void pluginCallIsNotSentBeforeStoredIntentIsDurable(Order order) {
        SlowRig slow = new SlowRig(order);
        VolumeLifecycle host = slow.rig.host;
        AllocationId allocation = AllocationId.of("a");
        slow.operation(
                Rpc.CREATE_VOLUME,
                () -> host.volumes().create(VOL, LifecycleRig.newSpec().build()));
        slow.rig.allocation("a", "n1");
        slow.operation(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                () -> host.claims().claim(allocation, List.of(LifecycleRig.write(VOL, LifecycleRig.SHARED))));
        slow.operation(Rpc.CONTROLLER_MODIFY_VOLUME, () -> host.volumes().modify(VOL, Map.of("tier", "gold")));
        slow.operation(Rpc.CONTROLLER_EXPAND_VOLUME, () -> host.volumes().expand(VOL, CapacityRange.atLeast(1L << 40)));
        slow.rig.ok(new AllocationCommand.UpsertAllocation(
                allocation,
                Namespace.of("default"),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.ENDED,
                slow.rig.now()));
        slow.rig.clock.advance(Duration.ofMinutes(10));
        assertThat(slow.rig.get(VOL).inUse()).isFalse();
        slow.operation(Rpc.DELETE_VOLUME, () -> host.volumes().delete(VOL));
        assertThat(slow.called).containsAll(CHANGES);
        assertThat(slow.early).as("no call before its intent is durable").isEmpty();
    }
}
