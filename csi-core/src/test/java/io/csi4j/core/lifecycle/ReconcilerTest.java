package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.worker.Reconciler;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorker;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.FencingPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The leader reads the rows that a change concerns, once for several changes, and until it stops leading. */
class ReconcilerTest {
    /** More rows than may be read again without a pause. */
    private static final int MANY = 60;

    /** The parts of the state that are read as a whole, or for all their volumes. */
    enum Part {
        NODES("nodes") {
            @Override
            ClaimRig rig() {
                return ClaimRig.with(
                        IntStream.rangeClosed(1, MANY).mapToObj(i -> "n" + i).toArray(String[]::new));
            }
        },
        VOLUMES_OF_A_NODE("nodes") {
            @Override
            ClaimRig rig() {
                return volumes(true);
            }
        },
        VOLUMES_OF_A_PLUGIN("plugins") {
            @Override
            ClaimRig rig() {
                return volumes(false);
            }

            @Override
            void change(ClaimRig rig, int number) {
                rig.controller(number % 2 == 1);
            }
        };

        private final String method;

        Part(String method) {
            this.method = method;
        }

        abstract ClaimRig rig();

        void change(ClaimRig rig, int number) {
            rig.status("n1", number % 2 == 0 ? NodeStatus.DOWN : NodeStatus.READY);
        }

        /** Returns a rig with many volumes; all of them are in use on one node, or none. */
        private static ClaimRig volumes(boolean used) {
            ClaimRig rig = ClaimRig.with("n1");
            for (int i = 0; i < MANY; i++) {
                rig.volume("v" + i, SINGLE_NODE_WRITER);
                if (used) {
                    rig.use("a" + i, "n1", write("v" + i, SINGLE_NODE_WRITER));
                }
            }
            return rig;
        }

        boolean isRead() {
            return StackWalker.getInstance()
                    .walk(frames -> frames.dropWhile(frame -> !isOf(frame, Operations.class))
                            .dropWhile(frame -> isOf(frame, Operations.class))
                            .limit(1)
                            .anyMatch(frame -> isOf(frame, Reconciler.class)
                                    && frame.getMethodName().equals(method)));
        }

        private static boolean isOf(StackWalker.StackFrame frame, Class<?> type) {
            return frame.getClassName().equals(type.getName());
        }
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void frequentChangesThatConcernManyRowsAreReadTogether(Part part) {
        ClaimRig rig = part.rig();
        rig.clock.advance(Duration.ofSeconds(1));
        List<Long> reads = new ArrayList<>();
        rig.log.beforeSnapshot = () -> {
            if (part.isRead()) {
                reads.add(rig.clock.nanoTime());
            }
        };
        for (int i = 0; i < 5; i++) {
            part.change(rig, i);
            rig.run();
        }
        assertThat(reads).as("at the first change").hasSize(1);
        rig.clock.advance(Duration.ofMillis(10));
        assertThat(reads).as("after a pause").hasSize(2);
        assertThat(reads.get(1) - reads.get(0))
                .isBetween(
                        Duration.ofNanos(MANY * 10_000L).toNanos(),
                        Duration.ofMillis(2).toNanos());
    }

    @Test
    void endOfTheTermClosesAllWatches() {
        ClaimRig rig = ClaimRig.with("n1");
        assertThat(rig.log.watches()).isPositive();
        rig.engine.stop();
        assertThat(rig.log.watches()).isZero();
        rig.engine.start();
        rig.run();
        int watches = rig.log.watches();
        rig.engine.stop();
        rig.engine.start();
        rig.run();
        assertThat(rig.log.watches()).isEqualTo(watches);
    }

    @ParameterizedTest
    @EnumSource(
            value = NodeStatus.class,
            names = {"DISCONNECTED", "DOWN"})
    void graceOfANodeBeginsAndEndsBetweenTwoScans(NodeStatus status) {
        Duration grace = Duration.ofSeconds(20);
        ClaimRig rig = ClaimRig.with("n1")
                .volume("v", FencingPolicy.afterGrace(grace), SINGLE_NODE_WRITER)
                .use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.provider.mounted.clear();
        rig.clock.advance(LifecycleOptions.ofDefaults().scanInterval().plusSeconds(10));
        rig.status("n1", status);
        rig.run();
        rig.clock.advance(grace.plusSeconds(5));
        assertThat(rig.get("v").attachments().on(NodeId.of("n1"))).isEmpty();
    }

    /** The controller is away only while the plan is made, so neither before nor after has the plugin changed. */
    @Test
    void volumeThatWaitsBecauseOfAStateThatIsOldByNowIsPlannedAgainWithoutAScan() {
        ClaimRig rig =
                ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        rig.gateway.answer();
        rig.provider.mounted.clear();
        rig.log.leftBehind(state -> state.apply(new PluginCommand.FingerprintNode(
                NodeId.of(ClaimRig.CONTROLLER),
                List.of(rig.instance(ClaimRig.CONTROLLER, PluginType.CONTROLLER)
                        .health(false, "restarts")
                        .capabilities(known -> known.withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
                        .build()),
                rig.now())));
        inAPlan(rig, () -> {
            rig.controller(true);
            rig.run();
        });
        rig.gateway.only().succeed();
        rig.run();
        rig.clock.advance(Duration.ofSeconds(2));
        rig.free("v");
    }

    /** Does something once, right after a plan took its snapshot of a state without a healthy controller. */
    private static void inAPlan(ClaimRig rig, Runnable then) {
        rig.log.afterSnapshot = () -> {
            boolean plans = StackWalker.getInstance()
                    .walk(frames -> frames.limit(8)
                            .anyMatch(frame -> frame.getClassName().equals(VolumeWorker.class.getName())));
            if (plans) {
                then.run();
            } else {
                inAPlan(rig, then);
            }
        };
    }
}
