package io.csi4j.simulation;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Somebody who does at any time what an operator may do, wisely or not. What the operator gave a word for becomes true
 * only later, by hand.
 */
final class SimOperator {
    private static final int DEEDS = 12;
    private static final Duration AGAIN = Duration.ofSeconds(20);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;
    private final SplittableRandom random;
    private final SimWishes wishes;
    private final SimByHand byHand;

    SimOperator(SimWorld world, SimServer server, SimVolumes volumes, SimWorkloads workloads, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.workloads = workloads;
        this.random = random;
        this.wishes = new SimWishes(world, server, volumes, random.split());
        this.byHand = new SimByHand(world, volumes, workloads);
    }

    void begin(SimulationOptions options) {
        long most = options.chaos().toNanos();
        for (int i = 0; i < DEEDS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::deed);
        }
    }

    private void deed() {
        if (!world.faults().happen()) {
            return;
        }
        VolumeKey key = volumes.any();
        Optional<Volume> volume = volumes.known(key);
        if (volume.isEmpty()) {
            return;
        }
        switch (random.nextInt(10)) {
            case 0, 1 -> detach(volume.get());
            case 2 ->
                said(
                        "collect",
                        key,
                        server.ask("collect", engine -> engine.operator().collect(key)));
            case 3 -> overrideClaim(volume.get());
            case 4 -> overrideAttachment(volume.get());
            case 5, 6 -> wishes.expand(key);
            case 7, 8 -> wishes.modify(key);
            default -> deregister(volume.get());
        }
    }

    private void said(String what, VolumeKey key, CompletableFuture<?> answer) {
        world.trace().note("operator", what + " " + key.volumeId());
        var unused = answer.whenComplete((done, failure) ->
                world.trace().note("operator", what + " " + key.volumeId() + (failure == null ? " done" : " failed")));
    }

    private void detach(Volume volume) {
        Set<NodeId> nodes = new TreeSet<>(volume.claims().nodeIds());
        volume.attachments().forEach(attachment -> nodes.add(attachment.nodeId()));
        nodes.add(NodeId.of("n1"));
        NodeId nodeId = new ArrayList<>(nodes).get(random.nextInt(nodes.size()));
        world.excuses().detachmentAsked(volume.key(), nodeId);
        said(
                "detach from " + nodeId,
                volume.key(),
                server.ask("detach", engine -> engine.operator().detach(volume.key(), nodeId)));
    }

    private void overrideClaim(Volume volume) {
        Claims claims = volume.claims();
        List<Claim> all = new ArrayList<>();
        claims.forEach(all::add);
        if (all.isEmpty()) {
            return;
        }
        Claim claim = all.get(random.nextInt(all.size()));
        if (workloads.alive(claim.allocationId())) {
            world.coverage().operation("override claim of a living workload");
        }
        said(
                "override of the claim of " + claim.allocationId() + " on",
                volume.key(),
                server.ask(
                        "override claim",
                        engine -> engine.operator()
                                .overrideClaim(volume.key(), claim.allocationId(), "by the simulation")));
        byHand.soon();
    }

    private void overrideAttachment(Volume volume) {
        volume.attachments().forEach(attachment -> {
            if (random.nextBoolean()) {
                said(
                        "override of the attachment to " + attachment.nodeId() + " of",
                        volume.key(),
                        server.ask(
                                "override attachment",
                                engine -> engine.operator()
                                        .overrideAttachment(volume.key(), attachment.nodeId(), "by the simulation")));
            }
        });
        byHand.soon();
    }

    private void deregister(Volume volume) {
        VolumeKey key = volume.key();
        if (!volumes.isDeclared(key)) {
            return;
        }
        boolean force = random.nextBoolean();
        String operation = force ? "deregister by force" : "deregister";
        CompletableFuture<?> answer =
                server.ask(operation, engine -> engine.volumes().deregister(key, force));
        said(operation, key, answer);
        byHand.soon();
        world.scheduler().soon(AGAIN, this::registerAll);
        // It may be done long after, when the log was silent.
        var unused = answer.whenComplete((done, failure) -> world.scheduler().soon(AGAIN, this::registerAll));
    }

    /** What is missing is declared again, as often as it takes. */
    private void registerAll() {
        boolean missing = false;
        for (VolumeKey key : volumes.declared()) {
            if (volumes.known(key).isEmpty()) {
                missing = true;
                said(
                        "register",
                        key,
                        server.ask("register", engine -> engine.volumes().register(key, volumes.spec(key))));
            }
        }
        if (missing || world.commandsOnTheirWay()) {
            world.scheduler().after(AGAIN, this::registerAll);
        }
    }

    /** After the trouble is over. */
    void settle() {
        byHand.begin();
        registerAll();
    }

    boolean settled() {
        return remains().isEmpty();
    }

    /** What is left to do. */
    String remains() {
        StringBuilder text = new StringBuilder();
        text.append(wishes.remains());
        if (!world.excuses().isEmpty()) {
            text.append(" to do by hand ")
                    .append(world.excuses().mounts())
                    .append(world.excuses().attachments());
        }
        volumes.declared().stream()
                .filter(key -> volumes.known(key).isEmpty())
                .forEach(key -> text.append(" not registered ").append(key));
        return text.toString();
    }
}
