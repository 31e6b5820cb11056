package io.csi4j.simulation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.volume.RemainingWork;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The server: one life after the other, leading or not, and at times two that both believe to lead. */
final class SimServer {
    private static final Duration UNNOTICED = Duration.ofMinutes(1);
    private static final Duration COMPARING = Duration.ofSeconds(40);
    private static final Duration SCAN = Duration.ofMinutes(1);
    /** Longer than a run. */
    private static final Duration RARE_SCAN = Duration.ofDays(2);

    private final SimWorld world;
    private final SplittableRandom random;
    private final PortDecorator.Ports ports;
    private @Nullable SimLife current;
    /** Those that another one leads instead of, and that have not noticed. */
    private final List<SimLife> overtaken = new ArrayList<>();

    private SimProcess asked;
    private Runnable onLead = () -> {};
    private final Set<Asked> unanswered = new LinkedHashSet<>();

    SimServer(SimWorld world, SplittableRandom random, PortDecorator decorator) {
        this.world = world;
        this.random = random;
        this.ports = decorator.of(world);
        this.asked = new SimProcess(world.scheduler());
    }

    /** Begins; tells each time that a new term begins. */
    void begin(SimulationOptions options, Runnable newTerm) {
        onLead = newTerm;
        start();
        long most = options.chaos().toNanos();
        for (int i = 0; i < 7; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::trouble);
        }
    }

    /** Who was asked last. */
    SimProcess asked() {
        return asked;
    }

    boolean leads() {
        return current != null && current.leads();
    }

    /** Asks whoever leads, or believes to, as the operator. The answer has to come, unless that one crashes. */
    <R> CompletableFuture<R> ask(String operation, Function<VolumeLifecycle, CompletableFuture<R>> question) {
        SimLife life = overtaken.isEmpty() || random.nextInt(3) > 0 ? current : overtaken.get(0);
        if (life == null) {
            return nobody();
        }
        asked = life.process();
        world.coverage().operation(operation);
        CompletableFuture<R> answer = question.apply(life.lifecycle().as(() -> SimExcuses.OPERATOR));
        if (!answer.isDone()) {
            Asked open = new Asked(operation, asked);
            unanswered.add(open);
            var unused = answer.whenComplete((result, failure) -> unanswered.remove(open));
        }
        return answer;
    }

    /** The questions that nobody answered, though whoever was asked lives. */
    List<String> unanswered() {
        return unanswered.stream()
                .filter(open -> open.process.alive())
                .map(open -> open.operation)
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
        SimProcess process = new SimProcess(world.scheduler());
        current = new SimLife(
                process,
                VolumeLifecycle.builder()
                        .log(ports.log(new SimLog(world, process)))
                        .gateway(ports.gateway(new SimGateway(world, process)))
                        .environment(Environment.of(
                                world.scheduler().clock(), ports.timer(process), process, random.split()))
                        .callbackExecutor(process)
                        .secrets((volume, rpc) -> secrets())
                        .fencing((nodeId, reason) -> fence(nodeId))
                        .options(LifecycleOptions.builder()
                                .callTimeout(SimCall.DEADLINE)
                                .scanInterval(world.traits().rareScans() ? RARE_SCAN : SCAN)
                                .reconciliation(world.traits().reconciles() ? COMPARING : Duration.ZERO, true)
                                .build())
                        .build());
        lead(current);
    }

    private CompletableFuture<Secrets> secrets() {
        if (!world.faults().secretsHang()) {
            return CompletableFuture.completedFuture(Secrets.empty());
        }
        world.coverage().trouble("secrets never come");
        return new CompletableFuture<>();
    }

    private CompletableFuture<Void> fence(NodeId nodeId) {
        world.coverage().step(RemainingWork.Kind.REQUEST_FENCE);
        SimNode node = world.node(nodeId);
        if (node != null) {
            world.scheduler().soon(Duration.ofSeconds(5), () -> world.fence(node));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void lead(SimLife life) {
        life.startLeading();
        onLead.run();
    }

    /** It crashes, or loses the lead: for a while, to another server, or to another one without noticing. */
    private void trouble() {
        SimLife now = current;
        if (!world.faults().happen() || now == null || !now.leads()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> loseLead(now);
            case 1 -> {
                world.coverage().trouble("lead moves");
                world.trace().note("server", "loses the lead to another server");
                now.process().retire();
                now.stopLeading();
                replace(Duration.ofSeconds(5), false);
            }
            case 2 -> overtake(now);
            default -> {
                world.coverage().trouble("server crash");
                world.trace().note("server", "crashes");
                now.crash();
                replace(Duration.ofSeconds(20), true);
            }
        }
    }

    private void replace(Duration most, boolean crashed) {
        current = null;
        world.scheduler().soon(most, () -> recover(crashed));
    }

    /** Another server leads, and the one before goes on as if it did. */
    private void overtake(SimLife life) {
        world.trace().note("server", "is overtaken by another one, and does not notice");
        life.process().retire();
        overtaken.add(life);
        replace(Duration.ofSeconds(5), false);
        world.scheduler().after(Duration.ofSeconds(5).plus(world.scheduler().upTo(UNNOTICED)), () -> {
            if (!overtaken.remove(life)) {
                return;
            }
            if (random.nextInt(3) == 0) {
                world.trace().note("server", "crashes that was overtaken");
                life.crash();
                // Who waited there waits for nobody now.
                onLead.run();
            } else {
                world.trace().note("server", "notices that it was overtaken");
                life.stopLeading();
            }
        });
    }

    private void loseLead(SimLife life) {
        world.coverage().trouble("lead lost");
        world.trace().note("server", "loses the lead");
        life.stopLeading();
        world.scheduler().soon(Duration.ofSeconds(20), () -> {
            if (life.equals(current) && !life.leads()) {
                lead(life);
            }
        });
    }

    private void recover(boolean crashed) {
        if (current != null) {
            return;
        }
        if (crashed && overtaken.isEmpty() && random.nextBoolean()) {
            world.coverage().trouble("state reloaded");
            reload();
        }
        if (!overtaken.isEmpty()) {
            world.coverage().trouble("two leaders");
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
        overtaken.forEach(SimLife::stopLeading);
        overtaken.clear();
        if (current == null) {
            start();
        } else if (!current.leads()) {
            lead(current);
        }
    }
}
