package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.Bench;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.HadSecrets;
import io.csi4j.node.internal.ledger.MachineIds;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record after a request, by the record before it. No worker runs here. */
class DesiredStateTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final AllocationId A = AllocationId.of("a");
    private static final String NOW = "boot-2";
    private static final UnmountOrder ORDER = new UnmountOrder("alice", "the driver was killed", 1);
    private static final Optional<ExternalNodeId> HERE = Optional.of(ExternalNodeId.of("here"));
    private static final Optional<ExternalNodeId> THERE = Optional.of(ExternalNodeId.of("there"));
    private static final VolumeEntry EMPTY = VolumeEntry.empty(ID.volume(), false);

    @TempDir
    Path temporary;

    private final VirtualTime time = VirtualTime.inOrder();
    private final List<Path> mounted = new ArrayList<>();
    private boolean tableFails;
    private boolean pluginIsThere = true;
    private Optional<ExternalNodeId> machine = Optional.empty();
    private NodePaths paths;
    private MachineIds machineIds;
    private DesiredState desired;

    @BeforeEach
    void create() throws IOException {
        paths = new NodePaths(temporary.toRealPath());
        machineIds = MachineIds.open(paths.base().resolve("machine-ids"), false);
        NodeService service = (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(), new Class<?>[] {NodeService.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("unexpected call");
                });
        MountTable table = new MountTable() {
            @Override
            public MountPoints read() throws IOException {
                if (tableFails) {
                    throw new IOException("it cannot be read");
                }
                return MountPoints.of(mounted);
            }

            @Override
            public Optional<String> bootId() {
                return Optional.of(NOW);
            }
        };
        MountInspector inspector =
                new MountInspector(paths, id -> plugin(service), table, time, new HostCallbacks(time, time));
        desired = new DesiredState(inspector, paths, id -> plugin(service), machineIds);
    }

    private Optional<NodePlugin> plugin(NodeService service) {
        NodePlugin plugin = NodePlugin.of(service, CapabilitySet.of(NodeCapability.class, List.of()));
        return pluginIsThere ? Optional.of(machine.map(plugin::on).orElse(plugin)) : Optional.empty();
    }

    private static UseId id(String allocation, int number) {
        return new UseId(AllocationId.of(allocation), number);
    }

    private static NodeMount.Builder request(int number, String... flags) {
        return NodeMount.builder(ID, A, Bench.MANY)
                .number(number)
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .targetFlags(MountFlags.of(flags));
    }

    /** Returns a request whose number is a proposal, as for the mounts of a workload. */
    private static NodeMount proposed(int number, String... flags) {
        NodeMount mount = request(number, flags).build();
        ClaimRequest claim = new ClaimRequest(ID.volume(), ClaimMode.WRITE, Bench.MANY, MountOptions.none());
        return mount.forRequests(List.of(claim)).get(claim);
    }

    private static UseEntry use(UseId id, UsePhase phase, NodeMount mount) {
        return new UseEntry(id, MountTerms.of(mount), phase, NOW, true);
    }

    private static VolumeEntry entry(UseEntry... uses) {
        return new VolumeEntry(ID.volume(), ID, null, List.of(uses), false, 0);
    }

    private static void refused(Reason reason, String text, ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(text);
    }

    // ---- the use of a mount

    private static void usesNumber(int expected, NodeMount request, UseEntry... uses) {
        assertThat(DesiredState.useOf(entry(uses), request)).isEqualTo(id("a", expected));
    }

    @Test
    void requestGetsEqualMountOfItsAllocationOrFreeNumber() {
        NodeMount request = proposed(0, "nosuid");
        NodeMount other = proposed(0, "noexec");
        UsePhase mounted = UsePhase.PUBLISHED;
        usesNumber(0, request);
        usesNumber(3, request, use(id("a", 3), mounted, request));
        usesNumber(3, request, use(id("a", 3), mounted, request), use(id("a", 4), mounted, request));
        usesNumber(0, request, use(id("a", 3), mounted, request), use(id("a", 0), mounted, request));
        usesNumber(3, request, use(id("a", 3), mounted, request), use(id("a", 0), mounted, other));
        usesNumber(0, request, use(id("a", 3), UsePhase.LEAVING, request));
        usesNumber(0, request, use(id("b", 3), mounted, request));
        usesNumber(0, request, use(id("a", 1), mounted, other));
        usesNumber(1, request, use(id("a", 0), mounted, other));
        usesNumber(2, request, use(id("a", 0), mounted, other), use(id("a", 1), UsePhase.LEAVING, request));
        usesNumber(0, request, use(id("a", 0), UsePhase.LEAVING, other));
        usesNumber(1, request, use(id("b", 0), mounted, other), use(id("a", 0), mounted, other));
        usesNumber(
                0,
                request,
                use(
                        id("a", 0),
                        mounted,
                        request(0).mountOptions(MountOptions.of("xfs")).build()));
        usesNumber(5, request(5, "nosuid").build(), use(id("a", 3), mounted, request));
        usesNumber(3, request(3, "nosuid").build(), use(id("a", 3), mounted, other));
    }

    // ---- mount

    private UseEntry mounted(VolumeEntry entry, NodeMount request) throws IOException {
        return desired.mount(entry, request).use(id("a", 0)).orElseThrow();
    }

    @Test
    void newMountIsWantedWithItsTerms() throws IOException {
        NodeMount request = request(0, "nosuid").build();
        VolumeEntry next = desired.mount(EMPTY, request);
        assertThat(next.id()).isEqualTo(ID);
        assertThat(next.uses()).containsExactly(UseEntry.wanted(id("a", 0), MountTerms.of(request)));
        assertThat(mounted(VolumeEntry.empty(ID.volume(), true), request).mayRun())
                .isTrue();
        NodeMount secret =
                request(0).publishSecrets(Secrets.of(Map.of("k", "v"))).build();
        assertThat(mounted(EMPTY, secret).secrets()).isEqualTo(new HadSecrets(false, true));
        assertThat(mounted(desired.mount(EMPTY, secret), request(0).build()).secrets())
                .isEqualTo(new HadSecrets(false, true));
    }

    @Test
    void endingMountIsRemovedBeforeItIsMadeAgain() throws IOException {
        NodeMount request =
                request(0, "nosuid").stageSecrets(Secrets.of(Map.of("k", "v"))).build();
        UseEntry again = mounted(entry(use(id("a", 0), UsePhase.LEAVING, proposed(0))), request);
        assertThat(again.phase()).isEqualTo(UsePhase.RESETTING);
        assertThat(again.terms()).isEqualTo(MountTerms.of(request));
        assertThat(again.bootId()).isEqualTo(NOW);
        assertThat(again.secrets()).isEqualTo(new HadSecrets(true, false));
    }

    @Test
    void termsOfCallThatWasSentStayAsTheyAre() throws IOException {
        machine = HERE;
        NodeMount before = request(0).build();
        NodeMount after = request(0)
                .volumeContext(VolumeContext.of(Map.of("k", "new")))
                .externalNodeId(HERE.orElseThrow())
                .build();
        for (UsePhase phase : List.of(UsePhase.PUBLISHING, UsePhase.PUBLISHED, UsePhase.RESETTING)) {
            assertThat(mounted(entry(use(id("a", 0), phase, before)), after).terms())
                    .isEqualTo(MountTerms.of(before).on(HERE));
        }
        assertThat(mounted(entry(use(id("a", 0), UsePhase.WANTED, before)), after)
                        .terms())
                .isEqualTo(MountTerms.of(after));
        UseEntry ofEarlierBoot = new UseEntry(id("a", 0), MountTerms.of(before), UsePhase.PUBLISHED, "boot-1", true);
        assertThat(mounted(entry(ofEarlierBoot), after).terms()).isEqualTo(MountTerms.of(after));
    }

    @Test
    void mountThatConflictsWithTheRecordIsRefused() throws IOException {
        NodeMount request = request(0, "nosuid").build();
        refused(
                Reason.CONFLICT,
                "mounted in another way",
                () -> desired.mount(
                        entry(use(
                                id("a", 0),
                                UsePhase.PUBLISHED,
                                request(0, "noexec").build())),
                        request));

        NodeVolumeId otherId = new NodeVolumeId(ID.volume(), ID.pluginId(), ExternalVolumeId.of("other"));
        VolumeEntry used = entry(use(id("b", 0), UsePhase.LEAVING, request)).identifiedAs(otherId);
        refused(Reason.CONFLICT, "is on this node as other", () -> desired.mount(used, request));
        assertThat(desired.mount(EMPTY.identifiedAs(otherId), request).id()).isEqualTo(ID);

        NodeMount xfs = request(0).mountOptions(MountOptions.of("xfs")).build();
        VolumeEntry staged = entry(use(id("b", 0), UsePhase.PUBLISHED, request))
                .staged(new StagingEntry(MountTerms.of(request), StagingPhase.STAGED, NOW, true));
        refused(Reason.CONFLICT, "beside allocation b", () -> desired.mount(staged, xfs));
        assertThat(desired.mount(staged, request).uses()).hasSize(2);
        assertThat(desired.mount(staged.leave(id("b", 0)), xfs).uses()).hasSize(2);

        RequestedCapability one = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER);
        NodeMount second = NodeMount.builder(ID, A, one).number(1).build();
        refused(
                Reason.CONFLICT,
                "allows one target path on a node (R89)",
                () -> desired.mount(entry(use(id("a", 0), UsePhase.PUBLISHED, second)), second));
        assertThat(desired.mount(entry(use(id("b", 0), UsePhase.PUBLISHED, second)), second)
                        .uses())
                .hasSize(2);
        assertThat(desired.mount(
                                entry(use(id("a", 0), UsePhase.PUBLISHED, request)),
                                request(1).build())
                        .uses())
                .hasSize(2);
    }

    @Test
    void mountForAnotherMachineIsRefused() throws IOException {
        NodeMount request = request(0).externalNodeId(THERE.orElseThrow()).build();
        assertThat(desired.mount(EMPTY, request).uses()).hasSize(1);
        machine = HERE;
        refused(Reason.OTHER_MACHINE, "says that this machine is here", () -> desired.mount(EMPTY, request));
        assertThat(machineIds.had(ID.pluginId(), HERE.orElseThrow())).isTrue();
        assertThat(desired.mount(EMPTY, request(0).build()).uses()).hasSize(1);
        machine = THERE;
        assertThat(desired.mount(EMPTY, request).uses()).hasSize(1);
        machine = HERE;
        pluginIsThere = false;
        assertThat(desired.mount(EMPTY, request).uses()).hasSize(1);
    }

    // ---- unmount

    private static NodeUnmount unmount(Optional<ExternalNodeId> machine) {
        return new NodeUnmount(ID, A, machine);
    }

    @Test
    void unmountRecordsTargetsOfTheAllocationWithoutRecord() throws IOException {
        NodeUnmount request = unmount(Optional.empty());
        VolumeEntry recorded = entry(use(id("a", 0), UsePhase.PUBLISHED, proposed(0)));
        assertThat(desired.unmount(EMPTY, request)).isEqualTo(EMPTY);
        mounted.add(paths.target(ID.volume(), id("a", 1)));
        mounted.add(paths.target(ID.volume(), id("b", 0)));
        assertThat(desired.unmount(recorded, request)).isEqualTo(recorded);
        VolumeEntry lost = VolumeEntry.empty(ID.volume(), true);
        for (VolumeEntry before : List.of(EMPTY, lost)) {
            VolumeEntry next = desired.unmount(before, request);
            assertThat(next.id()).isEqualTo(ID);
            assertThat(next.uses())
                    .containsExactly(new UseEntry(id("a", 1), MountTerms.UNKNOWN, UsePhase.LEAVING, NOW, false));
        }
        VolumeEntry rebuilt = new VolumeEntry(ID.volume(), ID, null, recorded.uses(), true, 0);
        assertThat(desired.unmount(rebuilt, request).uses())
                .extracting(UseEntry::id)
                .containsExactly(id("a", 0), id("a", 1));
        mounted.clear();
        mounted.add(paths.stagings(ID.volume()).resolve("mount-5"));
        assertThat(desired.unmount(EMPTY, request)).isEqualTo(EMPTY.identifiedAs(ID));
    }

    @Test
    void unmountForAnotherMachineIsRefusedUnlessThisOneMadeTheMount() throws IOException {
        VolumeEntry recorded = entry(use(id("a", 0), UsePhase.PUBLISHED, proposed(0)));
        pluginIsThere = false;
        refused(Reason.OTHER_MACHINE, "has never said", () -> desired.unmount(EMPTY, unmount(HERE)));
        assertThat(desired.unmount(recorded, unmount(HERE))).isEqualTo(recorded);
        pluginIsThere = true;
        refused(Reason.OTHER_MACHINE, "has never said", () -> desired.unmount(EMPTY, unmount(HERE)));
        machine = HERE;
        assertThat(desired.unmount(EMPTY, unmount(HERE))).isEqualTo(EMPTY);
        for (VolumeEntry entry : List.of(EMPTY, recorded)) {
            refused(
                    Reason.OTHER_MACHINE,
                    "says that this machine is here",
                    () -> desired.unmount(entry, unmount(THERE)));
        }
        pluginIsThere = false;
        assertThat(desired.unmount(EMPTY, unmount(HERE))).isEqualTo(EMPTY);
        refused(Reason.OTHER_MACHINE, "has never said", () -> desired.unmount(EMPTY, unmount(THERE)));
    }

    @Test
    void orderToUnmountDirectlyIsForEndingUsesOnly() {
        NodeUnmount request = unmount(Optional.empty());
        NodeMount mount = proposed(0);
        for (UsePhase phase : List.of(UsePhase.WANTED, UsePhase.PUBLISHED, UsePhase.RESETTING)) {
            VolumeEntry entry = entry(use(id("a", 1), UsePhase.LEAVING, mount), use(id("a", 0), phase, mount));
            refused(Reason.CONFLICT, "allocation a uses it", () -> desired.unmountDirectly(entry, request, ORDER));
        }
        VolumeEntry leaving = entry(
                use(id("a", 0), UsePhase.LEAVING, mount),
                use(id("b", 0), UsePhase.LEAVING, mount),
                use(id("a", 1), UsePhase.LEAVING, mount));
        assertThat(desired.unmountDirectly(leaving, request, ORDER).uses())
                .extracting(UseEntry::order)
                .containsExactly(ORDER, null, ORDER);
        assertThat(desired.unmountDirectly(EMPTY, request, ORDER)).isEqualTo(EMPTY);
        mounted.add(paths.target(ID.volume(), id("b", 0)));
        assertThat(desired.unmountDirectly(EMPTY, request, ORDER)).isEqualTo(EMPTY);
        mounted.add(paths.target(ID.volume(), id("a", 1)));
        refused(Reason.CONFLICT, "may have it mounted at", () -> desired.unmountDirectly(EMPTY, request, ORDER));
        mounted.clear();
        tableFails = true;
        refused(Reason.CONFLICT, "may have it mounted at", () -> desired.unmountDirectly(EMPTY, request, ORDER));
    }

    @Test
    void unmountIsForgottenOnlyIfNothingOfItIsMounted() {
        NodeMount mount = proposed(0);
        VolumeEntry leaving = entry(use(id("a", 0), UsePhase.LEAVING, mount));
        VolumeEntry beside =
                entry(use(id("a", 0), UsePhase.LEAVING, mount), use(id("b", 0), UsePhase.PUBLISHED, mount));
        VolumeEntry lost = VolumeEntry.empty(ID.volume(), true);
        refused(
                Reason.CONFLICT,
                "allocation a uses it",
                () -> desired.forgetUnmount(entry(use(id("a", 0), UsePhase.PUBLISHED, mount)), A, ORDER));
        assertThat(desired.forgetUnmount(leaving, A, ORDER)).isEqualTo(leaving.ordered(ORDER));
        assertThat(desired.forgetUnmount(beside, A, ORDER)).isEqualTo(beside.ordered(ORDER));
        assertThat(desired.forgetUnmount(EMPTY, A, ORDER)).isEqualTo(EMPTY);
        assertThat(desired.forgetUnmount(lost, A, ORDER)).isEqualTo(EMPTY);
        VolumeEntry lostAndUsed = new VolumeEntry(ID.volume(), ID, null, beside.uses(), true, 0);
        assertThat(desired.forgetUnmount(lostAndUsed, A, ORDER).rebuilt()).isTrue();

        Path other = paths.target(ID.volume(), id("b", 0));
        mounted.add(other);
        assertThat(desired.forgetUnmount(beside, A, ORDER).forgetOrder()).isEqualTo(ORDER);
        for (VolumeEntry entry : List.of(leaving, lost)) {
            refused(Reason.CONFLICT, "it is still mounted at " + other, () -> desired.forgetUnmount(entry, A, ORDER));
        }
        mounted.set(0, paths.stagings(ID.volume()).resolve("mount-5"));
        refused(Reason.CONFLICT, "it is still mounted at", () -> desired.forgetUnmount(leaving, A, ORDER));
        mounted.set(0, paths.target(ID.volume(), id("a", 0)));
        refused(Reason.CONFLICT, "it is still mounted at", () -> desired.forgetUnmount(beside, A, ORDER));
        tableFails = true;
        refused(Reason.CONFLICT, "cannot be read", () -> desired.forgetUnmount(leaving, A, ORDER));
    }
}
