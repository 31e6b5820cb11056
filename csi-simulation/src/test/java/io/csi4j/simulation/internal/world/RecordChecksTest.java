package io.csi4j.simulation.internal.world;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.N1;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;
import static io.csi4j.simulation.internal.world.PlacedWorld.take;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of what the state records finds the false record that is made for it, and no other check reports it. */
class RecordChecksTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final AllocationId B = AllocationId.of("b");
    private static final CapacityRange MORE = CapacityRange.atLeast(100);

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimWorld world = placed.world;

    @AfterEach
    void close() {
        placed.close();
    }

    private StateReader state() {
        return world.store().snapshot();
    }

    /** Records in the state that the controller has expanded the volume, and checks this. */
    private void recordExpanded(boolean nodesToo) {
        placed.ok(new ChangeCommand.BeginExpansion(key("v"), MORE, AT));
        StateReader before = state();
        ChangeCommand.RecordExpanded recorded =
                new ChangeCommand.RecordExpanded(key("v"), placed.row("v").createIndex(), MORE, 100, nodesToo, AT);
        placed.ok(recorded);
        new ChangeChecks(world).accepted(recorded, before, state());
    }

    @Test
    void findsNothingInRightExpansion() {
        world.provider().expand(placed.claimed("v", "a"), 100);
        recordExpanded(true);
        world.provider().expandOnNode(key("v"), N1, 100);
        recordNodeExpanded();
        placed.found();
    }

    @Test
    void findsExpansionThatTheProviderDoesNotHave() {
        placed.volume("v");
        recordExpanded(false);
        placed.found("R82: default/v is recorded to have 100 bytes, the completed expansion is 100,"
                + " and the provider has 0");
    }

    @Test
    void findsFinishedExpansionThatNodeDoesNotHave() {
        world.provider().expand(placed.claimed("v", "a"), 100);
        recordExpanded(false);
        placed.found("R83: the expansion of default/v to 100 bytes counts as finished, and n1 has 0 for a");
    }

    private void recordNodeExpanded() {
        long claim = placed.row("v").claims().get(A).orElseThrow().createIndex();
        ChangeCommand recorded = new ChangeCommand.RecordNodeExpansion(key("v"), A, claim, MORE, 100, AT);
        // The expansion goes on, as if another claim had to follow.
        new ChangeChecks(world).accepted(recorded, state(), state());
    }

    @Test
    void findsNodeExpansionThatNodeDoesNotHave() {
        world.provider().expand(placed.claimed("v", "a"), 100);
        recordExpanded(true);
        recordNodeExpanded();
        placed.found("R83: default/v is recorded to have 100 bytes for a, but fewer on n1");
    }

    @Test
    void findsOrphanThatWasNeverAttached() {
        placed.volume("v");
        world.drift()
                .accepted(
                        new AttachmentCommand.RecordOrphan(
                                key("v"),
                                N1,
                                placed.node.externalId,
                                placed.row("v").modifyIndex(),
                                AT),
                        state());
        placed.found("N8: default/v is recorded as an orphan on n1, but was never attached there manually");
    }

    @Test
    void findsMoreVolumesThanNodeTakes() {
        SimCapacity capacity = new SimCapacity(world, true, new SplittableRandom(1));
        capacity.recount(placed.node);
        placed.claimed("v", "a");
        capacity.onStateChanged(state());
        placed.found();

        placed.claimed("w", "b");
        limit(1);
        capacity.onStateChanged(state());
        placed.found("R93: n1 has 2 volumes and takes 1");
    }

    /** Reports a volume limit of the node, after which the state still has the claims above it. */
    private void limit(long volumes) {
        PluginInstance instance = state().instance(PlacedWorld.INSTANCE).orElseThrow();
        placed.ok(new PluginCommand.FingerprintNode(
                N1,
                List.of(instance.toBuilder()
                        .nodeInfo(new NodeInfo(placed.node.externalId, volumes, Optional.empty()))
                        .build()),
                AT));
    }

    private static Claim claim(AllocationId allocation) {
        return Claim.builder(allocation, N1, ClaimMode.WRITE, MOUNT).build();
    }

    /** Returns the present state, with other claims of the volume. */
    private StateReader with(Claim... claims) {
        Volume.Builder changed = placed.row("v").toBuilder();
        for (Claim claim : claims) {
            changed.claims(changed.build().claims().with(claim));
        }
        StateReader actual = state();
        return (StateReader) Proxy.newProxyInstance(
                StateReader.class.getClassLoader(),
                new Class<?>[] {StateReader.class},
                (proxy, method, arguments) -> method.getName().equals("volume")
                        ? Optional.of(changed.build())
                        : method.invoke(actual, arguments));
    }

    /** Restores a state that does not have the mount of an allocation. */
    private void restoreBefore(AllocationId mounted) {
        SimNode.Mount mount = new SimNode.Mount(key("v"), mounted);
        world.backup().take();
        placed.node.mount(mount, AttachmentMode.MOUNT);
        world.backup()
                .onUses(
                        node -> Map.of(mount, ClaimRequest.of(key("v"), ClaimMode.WRITE, MOUNT)),
                        (node, volume) -> false);
        world.restoreBackup();
    }

    @Test
    void findsClaimAgainstAdoptedClaim() {
        placed.volume("v");
        world.backup().take();
        world.restoreBackup();
        Claim adopted = claim(B).toBuilder().adopted(true).build();
        world.backup().accepted(take("v", "a"), with(adopted), with(adopted, claim(A)));
        placed.found("I1: a is granted default/v against the adopted claim of b");
    }

    @Test
    void findsClaimAgainstMountThatTheRestoredStateDoesNotHave() {
        placed.volume("v");
        restoreBefore(B);
        world.backup().accepted(take("v", "a"), with(), with(claim(A)));
        placed.found("I1: a is granted default/v against the mount of b on ext-n1,"
                + " which the restored state does not have");
    }

    @Test
    void findsNothingInClaimOfTheMountedAllocation() {
        placed.volume("v");
        restoreBefore(A);
        world.backup().accepted(take("v", "a"), with(), with(claim(A)));
        placed.found();
    }

    /** The state is restored, and the engine asks about a volume of the backup. */
    private StateReader restoredBefore(Command recorded) {
        placed.ok(new NodeCommand.RequireLedgers("restored", AT));
        world.backup().take();
        world.restoreBackup();
        placed.ok(new VolumeCommand.MarkForGc(key("v"), AT));
        StateReader before = state();
        placed.ok(recorded);
        return before;
    }

    private CallCommand missing(int answers) {
        long restored = state().index() + 1;
        return new CallCommand.RecordCallError(
                key("v"),
                new CallTarget.OfVerification(placed.row("v").createIndex(), restored, answers),
                Attempt.failed("it is missing", AT),
                AT);
    }

    private Command twoAnswers() {
        return new Batch(List.of(missing(1), missing(2)), AT);
    }

    @Test
    void findsLostVolumeThatTheProviderHas() {
        placed.volume("v");
        Command answers = twoAnswers();
        StateReader before = restoredBefore(answers);
        world.lost().accepted(answers, before, state());
        placed.found("I25: default/v counts as lost, and the provider has it");
    }

    @Test
    void findsNothingInALostVolumeThatTheProviderDoesNotHave() {
        placed.volume("v");
        world.lost().lose(key("v"));
        Command answers = twoAnswers();
        StateReader before = restoredBefore(answers);
        world.lost().accepted(answers, before, state());
        world.lost().repair();
        placed.found();
    }

    @Test
    void findsClaimOfAMissingVolume() {
        placed.volume("v");
        placed.allocation("a");
        world.backup().take();
        world.restoreBackup();
        world.lost().lose(key("v"));
        StateReader before = state();
        placed.ok(take("v", "a"));
        world.lost().accepted(take("v", "a"), before, state());
        placed.found("I25: a is granted default/v, which the provider does not have since the restore");
    }

    @Test
    void findsPublishOfALostVolume() {
        placed.volume("v");
        Command answers = twoAnswers();
        var unused = restoredBefore(answers);
        world.lost().publishes(placed.row("v"));
        placed.found("I25: default/v is published although it counts as lost");
    }
}
