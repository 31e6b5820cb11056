package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.volume.Attachment;
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
    private static final int DEEDS = 10;
    private static final Duration BY_HAND = Duration.ofMinutes(2);
    private static final Duration AGAIN = Duration.ofSeconds(20);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;
    private final SplittableRandom random;
    private final Set<VolumeKey> growing = new TreeSet<>();
    private long size = 1;

    SimOperator(SimWorld world, SimServer server, SimVolumes volumes, SimWorkloads workloads, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.workloads = workloads;
        this.random = random;
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
        switch (random.nextInt(8)) {
            case 0, 1 -> detach(volume.get());
            case 2 -> said("collect", key, server.ask("collect", engine -> engine.collect(key)));
            case 3 -> overrideClaim(volume.get());
            case 4 -> overrideAttachment(volume.get());
            case 5, 6 -> expand(key);
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
        said(
                "detach from " + nodeId,
                volume.key(),
                server.ask("detach", engine -> engine.detach(volume.key(), nodeId)));
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
                        engine -> engine.overrideClaim(volume.key(), claim.allocationId(), "by the simulation")));
        world.scheduler().soon(BY_HAND, this::byHand);
    }

    private void overrideAttachment(Volume volume) {
        volume.attachments().forEach(attachment -> {
            if (random.nextBoolean()) {
                said(
                        "override of the attachment to " + attachment.nodeId() + " of",
                        volume.key(),
                        server.ask(
                                "override attachment",
                                engine -> engine.overrideAttachment(
                                        volume.key(), attachment.nodeId(), "by the simulation")));
            }
        });
        world.scheduler().soon(BY_HAND, this::byHand);
    }

    /** What words were given for is done at last; a call that is being worked on there ends first. */
    private void byHand() {
        world.excuses().mounts().forEach((mount, nodeId) -> {
            SimNode node = world.node(nodeId);
            workloads.stop(mount.allocationId());
            if (node != null
                    && node.answers()
                    && !node.turns().busy(mount.volume().toString())) {
                node.unmount(mount, false);
                world.excuses().unmounted(mount);
            } else if (node == null || !node.mounts().contains(mount)) {
                world.excuses().unmounted(mount);
            }
        });
        for (SimExcuses.Place place : world.excuses().attachments()) {
            ExternalVolumeId id = world.externalId(place.volume());
            SimNode node = world.node(place.nodeId());
            Optional<Attachment> record = volumes.known(place.volume())
                    .flatMap(volume -> volume.attachments().on(place.nodeId()));
            boolean leaving = record.flatMap(Attachment::operatorOverride).isPresent();
            boolean mounted = node != null && node.hasMounted(place.volume());
            if (id == null
                    || node == null
                    || mounted
                    || leaving
                    || world.provider().turns().busy(id.value())) {
                continue;
            }
            if (record.isEmpty()) {
                world.provider().detach(id, node.externalId);
            }
            world.excuses().detached(place);
        }
        if (!world.excuses().isEmpty()) {
            world.scheduler().after(AGAIN, this::byHand);
        }
    }

    private void expand(VolumeKey key) {
        boolean attaches = !key.volumeId().value().startsWith(SimVolumes.UNATTACHED);
        if (attaches && growing.add(key)) {
            expand(key, CapacityRange.atLeast(++size << 20));
        }
    }

    /** Tried again until it is done, or refused for good. */
    private void expand(VolumeKey key, CapacityRange range) {
        world.trace().note("operator", "expand " + key.volumeId() + " to " + range.requiredBytes());
        var unused = server.ask("expand", engine -> engine.expand(key, range)).whenComplete((result, failure) -> {
            if (failure == null) {
                grown(key, range, result);
                growing.remove(key);
            } else if (volumes.known(key).isEmpty() || !(failure instanceof CsiException known && again(known))) {
                growing.remove(key);
            } else {
                world.scheduler().after(AGAIN, () -> expand(key, range));
            }
        });
        // Nobody answers for a server that crashed.
        SimProcess asked = server.process();
        world.scheduler().after(Duration.ofMinutes(15), () -> {
            if (!asked.alive()) {
                growing.remove(key);
            }
        });
    }

    private boolean again(CsiException failure) {
        return failure.retryable() || random.nextInt(3) > 0;
    }

    /** What is said to be grown is grown, at the provider and on record. */
    private void grown(VolumeKey key, CapacityRange range, ExpandResult result) {
        ExternalVolumeId id = world.externalId(key);
        long there = id == null ? 0 : world.provider().size(id);
        long said = result.volume().facts().capacityBytes();
        boolean known = id != null && world.provider().knows(id);
        if (known && (there < range.requiredBytes() || said < range.requiredBytes() || said > there)) {
            world.violated("R82: " + key + " is said to have " + said + " bytes, " + range.requiredBytes()
                    + " were asked for, and the provider has " + there);
        }
    }

    private void deregister(Volume volume) {
        VolumeKey key = volume.key();
        if (!volumes.isDeclared(key)) {
            return;
        }
        boolean force = random.nextBoolean();
        String operation = force ? "deregister by force" : "deregister";
        said(operation, key, server.ask(operation, engine -> engine.deregister(key, force)));
        world.scheduler().soon(BY_HAND, this::byHand);
        world.scheduler().soon(AGAIN, this::registerAll);
    }

    /** What is missing is declared again, as often as it takes. */
    private void registerAll() {
        boolean missing = false;
        for (VolumeKey key : volumes.declared()) {
            if (volumes.known(key).isEmpty()) {
                missing = true;
                said("register", key, server.ask("register", engine -> engine.register(key, volumes.spec(key))));
            }
        }
        if (missing) {
            world.scheduler().after(AGAIN, this::registerAll);
        }
    }

    /** After the trouble is over. */
    void settle() {
        byHand();
        registerAll();
    }

    boolean settled() {
        return remains().isEmpty();
    }

    /** What is left to do. */
    String remains() {
        StringBuilder text = new StringBuilder();
        if (!growing.isEmpty()) {
            text.append(" growing ").append(growing);
        }
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
