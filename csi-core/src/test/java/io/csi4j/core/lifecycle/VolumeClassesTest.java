package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.VolumeClassEvent;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VolumeClassesTest {
    private static final VolumeClassName FAST = VolumeClassName.of("fast");
    private static final VolumeKey KEY = VolumeKey.of("default", "data");
    private static final CapacityRange SIZE = CapacityRange.atLeast(300);
    private static final Secrets SECRETS = Secrets.of(Map.of("password", "of-the-class"));

    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle leader = rig.engine();
    /** A server that runs beside the leader, over the same log. */
    private final VolumeLifecycle follower = VolumeLifecycle.builder()
            .log(rig.log)
            .gateway(rig.gateway)
            .environment(rig.clock.environment(new Random(8)))
            .callbackExecutor(rig.clock)
            .build();

    private final VolumeClasses classes = follower.classes();

    private static VolumeClass.Builder fast() {
        return of(FAST);
    }

    private static VolumeClass.Builder of(VolumeClassName name) {
        return VolumeClass.builder(name, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .parameters(Map.of("pool", "ssd"))
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .secrets(SECRETS)
                .leastBytes(100)
                .greatestBytes(900);
    }

    private Volume create() {
        return rig.done(leader.volumes().create(KEY, FAST, SIZE));
    }

    private CreateVolumeRequest sent() {
        return rig.gateway.request(Rpc.CREATE_VOLUME, CreateVolumeRequest.class);
    }

    @Test
    void volumeIsMadeWithTheValuesOfItsClass() {
        rig.done(classes.put(fast().build()));
        Volume volume = create();
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
        VolumeClass row = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        assertThat(volume.classOrigin())
                .contains(new ClassOrigin(FAST, row.createIndex(), row.modifyIndex(), row.reclaim()));
        assertThat(sent().parameters()).isEqualTo(Map.of("pool", "ssd"));
        assertThat(sent().secrets()).isEqualTo(SECRETS);
        assertThat(sent().capacityRange()).contains(SIZE);
        assertThat(sent().volumeCapabilities())
                .isEqualTo(row.spec(VolumeTemplate.of(FAST)).volumeCapabilities());
    }

    @Test
    void copyIsMadeWithTheValuesOfItsClass() {
        rig.done(classes.put(fast().build()));
        Volume source = create();
        VolumeKey copy = VolumeKey.of("default", "copy");
        VolumeTemplate template = VolumeTemplate.builder(FAST)
                .contentSource(
                        VolumeContentSource.volume(source.externalVolumeId().orElseThrow()))
                .build();
        Volume made = rig.done(leader.volumes().create(copy, template));
        assertThat(made.key()).isEqualTo(copy);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME))
                .extracting(request -> ((CreateVolumeRequest) request).volumeContentSource())
                .containsExactly(Optional.empty(), template.contentSource());
    }

    @Test
    void creationThatDoesNotEndIsReportedWithItsKey() {
        rig.done(classes.put(fast().build()));
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        assertThat(rig.failedLater(leader.volumes().create(KEY, FAST, SIZE), UnfinishedException.class))
                .hasMessageContaining("creation of volume default/data is not done");
    }

    @Test
    void deletionUsesTheSecretsOfTheClassThatHasGone() {
        // Another class with the name and other secrets.
        rig.done(classes.put(fast().build()));
        create();
        rig.done(classes.remove(FAST));
        rig.done(classes.put(
                fast().secrets(Secrets.of(Map.of("password", "other"))).build()));
        rig.done(leader.volumes().delete(KEY));
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .secrets())
                .isEqualTo(SECRETS);
    }

    @Test
    void secretsProviderIsAskedWithTheClass() {
        List<Optional<ClassOrigin>> asked = new ArrayList<>();
        rig.secrets = query -> {
            asked.add(query.classOrigin());
            return CompletableFuture.completedFuture(Optional.of(Secrets.empty()));
        };
        rig.done(classes.put(fast().build()));
        VolumeLifecycle next = rig.engine();
        Volume volume = rig.done(next.volumes().create(KEY, FAST, SIZE));
        rig.done(next.classes().remove(FAST));
        rig.done(next.volumes().delete(KEY));
        rig.done(next.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        assertThat(asked).containsExactly(volume.classOrigin(), volume.classOrigin(), Optional.empty());
        assertThat(volume.classOrigin()).isPresent();
    }

    @Test
    void creationByAFollowerIsRepeatedAfterAChangeOfTheClass() {
        rig.done(classes.put(fast().build()));
        CompletableFuture<Volume> creation = follower.volumes().create(KEY, FAST, SIZE);
        rig.done(creation);
        rig.done(classes.put(fast().parameters(Map.of("pool", "hdd")).build()));
        Volume again = rig.done(follower.volumes().create(KEY, FAST, SIZE));
        assertThat(again.remoteId()).isEqualTo(creation.join().remoteId());
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @Test
    void retryAndNextLeaderSendTheValuesOfTheFirstCall() {
        // The class changes, and is removed, while the outcome of the call is unknown.
        rig.done(classes.put(fast().build()));
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        var unused = leader.volumes().create(KEY, FAST, SIZE);
        rig.clock.run();
        rig.done(classes.put(fast().parameters(Map.of("pool", "hdd")).build()));
        rig.done(classes.remove(FAST));
        rig.engine();
        rig.run();
        assertThat(rig.get(KEY).phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME))
                .hasSize(2)
                .containsOnly(rig.gateway.requests(Rpc.CREATE_VOLUME).get(0));
    }

    @Test
    void creationAfterARefusalUsesTheCorrectedClass() {
        // Nothing of the refused creation is left.
        rig.done(classes.put(fast().parameters(Map.of("pool", "wrong")).build()));
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failed(leader.volumes().create(KEY, FAST, SIZE), CsiCallException.class);
        assertThat(rig.log.snapshot().volume(KEY)).isEmpty();
        rig.done(classes.put(fast().build()));
        create();
        List<CreateVolumeRequest> requests = rig.gateway.requests(Rpc.CREATE_VOLUME).stream()
                .map(CreateVolumeRequest.class::cast)
                .toList();
        assertThat(requests).hasSize(2);
        assertThat(requests.get(1).parameters()).containsEntry("pool", "ssd");
        assertThat(requests.get(1).name()).isNotEqualTo(requests.get(0).name());
    }

    @Test
    void refusalNamesAllProblemsAndCallsNothing() {
        rig.done(classes.put(fast().build()));
        VolumeTemplate template = VolumeTemplate.builder(FAST)
                .capacityRange(new CapacityRange(1, 1000))
                .requestedCapabilities(List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .build();
        assertThat(rig.failed(leader.volumes().create(KEY, template), RejectedException.class))
                .hasMessageContainingAll(
                        "volume default/data was refused",
                        "capacityRange.requiredBytes is 1 bytes, and the least size of the class is 100 bytes",
                        "capacityRange.limitBytes is 1000 bytes, and the greatest size of the class is 900 bytes",
                        "requestedCapabilities[0]");
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
        assertThat(rig.log.snapshot().volume(KEY)).isEmpty();
    }

    @Test
    void classWithProblemsIsRefusedBeforeItIsSubmitted() {
        int before = rig.log.submitted;
        assertThat(rig.failed(
                        classes.put(fast().requestedCapabilities(List.of())
                                .leastBytes(1000)
                                .restore()),
                        CsiRequestException.class))
                .hasMessageContainingAll("volume class fast", "requestedCapabilities is empty", "greatestBytes is 900");
        assertThat(rig.log.submitted).isEqualTo(before);
    }

    @Test
    void putIsNotRepeatedAndRemovalIs() {
        // A repeated put that is applied late would undo a later change.
        rig.log.lose(1, true);
        int before = rig.log.submitted;
        rig.failedLater(classes.put(fast().build()), CsiException.class);
        assertThat(rig.log.submitted).isEqualTo(before + 1);
        rig.log.lose(2, false);
        rig.later(classes.remove(FAST));
        assertThat(rig.log.snapshot().volumeClasses()).isEmpty();
    }

    @Test
    void fasterChangeOfAnotherOperatorIsNotOverwritten() {
        rig.done(classes.put(fast().build()));
        long read = rig.done(classes.get(FAST)).modifyIndex();
        rig.done(classes.put(fast().leastBytes(1).build(), read));
        assertThat(rig.failed(classes.put(fast().leastBytes(2).build(), read), RejectedException.class)
                        .reason())
                .isInstanceOf(Rejection.VolumeClassChanged.class);
        assertThat(rig.done(classes.get(FAST)).leastBytes()).isEqualTo(1);
    }

    @Test
    void unknownClassIsNeitherReturnedNorRemoved() {
        int before = rig.log.submitted;
        for (var unknown : List.of(classes.get(FAST), classes.remove(FAST))) {
            assertThat(rig.failed(unknown, CsiRequestException.class))
                    .hasMessageContainingAll("is fast, and no volume class has this name", "list the classes");
        }
        assertThat(rig.log.submitted).isEqualTo(before);
    }

    @Test
    void viewCountsConfidentialValues() {
        rig.done(classes.put(
                fast().mutableParameters(Map.of("iops", "secret-iops")).build()));
        VolumeClassView view = rig.done(classes.get(FAST));
        assertThat(view.parameters()).isEqualTo(1);
        assertThat(view.mutableParameters()).isEqualTo(1);
        assertThat(view.mountFlags()).isEqualTo(1);
        assertThat(view.secrets()).isEqualTo(1);
        assertThat(view.fsType()).isEqualTo("ext4");
        assertThat(view.toString()).doesNotContain("ssd", "secret-iops", "noatime", "of-the-class");
    }

    @Test
    void pagesHaveEachClassOnceInTheOrderOfNames() {
        List<VolumeClassName> names = new ArrayList<>();
        for (int i = 10; i < 22; i++) {
            names.add(VolumeClassName.of("c" + i));
            rig.done(classes.put(of(names.get(names.size() - 1)).build()));
        }
        List<VolumeClassName> listed = new ArrayList<>();
        Optional<VolumeClassName> after = Optional.empty();
        do {
            ListPage<VolumeClassView, VolumeClassName> page =
                    rig.done(classes.list(new VolumeClassQuery(Optional.empty(), "c1", after, 5)));
            assertThat(page.items()).hasSize(5);
            page.items().forEach(row -> listed.add(row.name()));
            after = page.next();
        } while (after.isPresent());
        assertThat(listed).isEqualTo(names.subList(0, 10));
        assertThat(rig.done(classes.list(VolumeClassQuery.all())).items()).hasSize(12);
    }

    @Test
    void callerSeesTheClassesOfANamespaceWithoutTheOthers() {
        rig.access = (caller, access) -> !caller.getName().equals("eve")
                || access.equals(Access.in(Namespace.of("eve"), Permission.VOLUME_WRITE));
        VolumeLifecycle host = rig.engine();
        for (VolumeClass row : List.of(
                of(VolumeClassName.of("all")).build(),
                of(VolumeClassName.of("both"))
                        .namespaces(List.of(Namespace.of("eve"), Namespace.of("hidden")))
                        .build(),
                of(VolumeClassName.of("other"))
                        .namespaces(List.of(Namespace.of("hidden")))
                        .build())) {
            rig.done(host.classes().put(row));
        }
        VolumeClasses eve = host.as(() -> "eve").classes();
        List<VolumeClassView> seen = rig.done(eve.list(VolumeClassQuery.usableIn(Namespace.of("eve"))))
                .items();
        assertThat(seen).extracting(row -> row.name().value()).containsExactly("all", "both");
        assertThat(seen.toString()).doesNotContain("hidden");
        assertThat(rig.done(eve.get(Namespace.of("eve"), VolumeClassName.of("both"))))
                .isEqualTo(seen.get(1));
        String other = rig.failed(eve.get(Namespace.of("eve"), VolumeClassName.of("other")), CsiRequestException.class)
                .getMessage();
        assertThat(rig.failed(eve.get(Namespace.of("eve"), VolumeClassName.of("other2")), CsiRequestException.class))
                .hasMessage(other.replace("other", "other2"));
        for (CompletableFuture<?> denied : List.of(
                eve.list(VolumeClassQuery.all()),
                eve.list(VolumeClassQuery.usableIn(Namespace.of("hidden"))),
                eve.get(VolumeClassName.of("both")),
                eve.get(Namespace.of("hidden"), VolumeClassName.of("both")),
                eve.put(fast().build()),
                eve.remove(VolumeClassName.of("both")))) {
            rig.failed(denied, AccessDeniedException.class);
        }
        assertThat(rig.done(host.classes().get(Namespace.of("eve"), VolumeClassName.of("both")))
                        .namespaces())
                .containsExactly(Namespace.of("eve"), Namespace.of("hidden"));
    }

    @Test
    void listOfVolumesIsFilteredByTheNameOfTheClass() {
        rig.done(classes.put(fast().build()));
        rig.done(classes.put(of(VolumeClassName.of("slow")).build()));
        Volume of = create();
        rig.done(leader.volumes().create(VolumeKey.of("default", "slow"), VolumeClassName.of("slow"), SIZE));
        rig.done(leader.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        List<VolumeSummary> listed = rig.done(leader.volumes()
                        .list(VolumeQuery.builder().className(FAST).build()))
                .items();
        assertThat(listed).extracting(VolumeSummary::key).containsExactly(KEY);
        assertThat(listed.get(0).classOrigin()).isEqualTo(of.classOrigin());
    }

    @Test
    void eachChangeOfAClassIsAnEvent() {
        List<VolumeClassEvent.Change> changes = new ArrayList<>();
        rig.listener = new EventListener() {
            @Override
            public void volumeClassChanged(VolumeClassEvent event) {
                assertThat(event.name()).isEqualTo(FAST);
                changes.add(event.change());
            }
        };
        VolumeClasses reported = rig.engine().classes();
        rig.done(reported.put(fast().build()));
        rig.done(reported.put(fast().build()));
        rig.done(reported.put(fast().leastBytes(1).build()));
        rig.done(reported.remove(FAST));
        rig.run();
        assertThat(changes)
                .containsExactly(
                        VolumeClassEvent.Change.ADDED,
                        VolumeClassEvent.Change.REPLACED,
                        VolumeClassEvent.Change.REMOVED);
    }
}
