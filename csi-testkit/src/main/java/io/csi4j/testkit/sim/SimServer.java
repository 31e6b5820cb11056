package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plan.PlanAction;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The server: one life after the other, leading or not. */
final class SimServer {
    private final SimWorld world;
    private final SplittableRandom random;
    private final Planted planted;
    private SimProcess process;
    private @Nullable VolumeLifecycle lifecycle;
    private boolean leads;
    private Runnable onLead = () -> {};
    private final Set<Asked> unanswered = new LinkedHashSet<>();

    SimServer(SimWorld world, SplittableRandom random, Mutation mutation) {
        this.world = world;
        this.random = random;
        this.planted = new Planted(mutation);
        this.process = new SimProcess(world.scheduler());
    }

    /** Begins; tells each time that a new term begins. */
    void begin(SimulationOptions options, Runnable newTerm) {
        onLead = newTerm;
        start();
        long most = options.chaos().toNanos();
        for (int i = 0; i < 6; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::trouble);
        }
    }

    SimProcess process() {
        return process;
    }

    boolean leads() {
        return leads && process.alive();
    }

    /** Asks whoever leads now, as the operator. The answer has to come, unless that one crashes. */
    <R> CompletableFuture<R> ask(String operation, Function<VolumeLifecycle, CompletableFuture<R>> question) {
        VolumeLifecycle now = lifecycle;
        if (now == null) {
            return nobody();
        }
        world.coverage().operation(operation);
        CompletableFuture<R> answer = question.apply(now.as(() -> SimExcuses.OPERATOR));
        if (!answer.isDone()) {
            Asked asked = new Asked(operation, process);
            unanswered.add(asked);
            var unused = answer.whenComplete((result, failure) -> unanswered.remove(asked));
        }
        return answer;
    }

    /** The questions that nobody answered, though whoever was asked lives. */
    List<String> unanswered() {
        return unanswered.stream()
                .filter(asked -> asked.process.alive())
                .map(asked -> asked.operation)
                .toList();
    }

    private static final class Asked {
        private final String operation;
        private final SimProcess process;

        Asked(String operation, SimProcess process) {
            this.operation = operation;
            this.process = process;
        }
    }

    private static <R> CompletableFuture<R> nobody() {
        return CompletableFuture.failedFuture(new CsiException("no server is there"));
    }

    private void start() {
        world.trace().note("server", "starts");
        process = new SimProcess(world.scheduler());
        lifecycle = VolumeLifecycle.builder()
                .log(planted.in(new SimLog(world, process)))
                .gateway(new SimGateway(world, process, planted))
                .timer(planted.in(process))
                .clock(world.scheduler().clock())
                .executor(process)
                .random(random.split())
                .fencing((nodeId, reason) -> fence(nodeId))
                .options(
                        LifecycleOptions.builder().callTimeout(SimCall.DEADLINE).build())
                .build();
        lead();
    }

    private CompletableFuture<Void> fence(NodeId nodeId) {
        world.coverage().plan(PlanAction.RequestFence.class);
        SimNode node = world.node(nodeId);
        if (node != null) {
            world.scheduler().soon(Duration.ofSeconds(5), () -> world.fence(node));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void lead() {
        leads = true;
        if (lifecycle != null) {
            lifecycle.startLeading();
        }
        onLead.run();
    }

    /** It crashes, or loses the lead for a while, or to another server. */
    private void trouble() {
        VolumeLifecycle now = lifecycle;
        if (!world.faults().happen() || !leads() || now == null) {
            return;
        }
        leads = false;
        switch (random.nextInt(4)) {
            case 0 -> loseLead(now);
            case 1 -> {
                world.coverage().trouble("lead moves");
                world.trace().note("server", "loses the lead to another server");
                process.retire();
                now.stopLeading();
                lifecycle = null;
                world.scheduler().soon(Duration.ofSeconds(5), this::recover);
            }
            default -> {
                world.coverage().trouble("server crash");
                world.trace().note("server", "crashes");
                process.crash();
                lifecycle = null;
                world.scheduler().soon(Duration.ofSeconds(20), this::recover);
            }
        }
    }

    private void loseLead(VolumeLifecycle now) {
        world.coverage().trouble("lead lost");
        world.trace().note("server", "loses the lead");
        now.stopLeading();
        SimProcess same = process;
        world.scheduler().soon(Duration.ofSeconds(20), () -> {
            if (process == same && same.alive() && lifecycle == now && !leads) {
                lead();
            }
        });
    }

    private void recover() {
        if (lifecycle != null) {
            return;
        }
        if (!process.alive() && random.nextBoolean()) {
            world.coverage().trouble("state reloaded");
            reload();
        }
        start();
    }

    /** The state as it is written and read again. */
    private void reload() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            world.store().encode(bytes);
            world.store().restore(new ByteArrayInputStream(bytes.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** After the trouble is over. */
    void settle() {
        if (lifecycle == null) {
            start();
        } else if (!leads) {
            lead();
        }
    }
}
