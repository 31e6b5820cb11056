package io.csi4j.simulation.defect;

import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.simulation.internal.disk.WriteGate;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Makes agents behave as if they had a defect: in their calls, in their view of mounts, or in their answers to servers. */
final class NodeDefectInjector implements PortDecorator {
    private static final Duration FULL_AFTER = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** Stands before the number of a target in the names of all but the first one of an allocation. */
    private static final String NUMBERED = "~";

    private final NodeDefect defect;

    private NodeDefectInjector(NodeDefect defect) {
        this.defect = defect;
    }

    /** A simulation in which all agents have the defect. */
    static SimConfig config(NodeDefect defect) {
        SimConfig options = SimConfig.ofDefaults().withNodeVolumes(1).with(new NodeDefectInjector(defect));
        return defect == NodeDefect.INLINE_VOLUME_WITHOUT_MOUNT_COUNTS_AS_REMOVED ? options.withTemplates(1) : options;
    }

    @Override
    public Ports of(SimWorld world) {
        return new Ports() {};
    }

    @Override
    public boolean alwaysPublishesAgain() {
        return defect.ofRenewals();
    }

    @Override
    public boolean alwaysNamesLabels() {
        return defect.ofLabels();
    }

    @Override
    public boolean alwaysNamesGroups() {
        return defect.ofWorkloads();
    }

    @Override
    public NodePorts ofNodes(SimWorld world) {
        return new NodePorts() {
            private final RenewalDefects renewals = new RenewalDefects(defect);
            private final Map<String, String> stagings = new HashMap<>();
            private final Map<String, VolumeCapability> staged = new HashMap<>();
            /** The groups of the first changes, by the directory of a volume's targets. */
            private final Map<String, FileOwnership> changed = new HashMap<>();
            /** The first NodePublishVolume, by the target or by the volume. */
            private final Map<String, NodePublishVolumeRequest> published = new HashMap<>();

            @Override
            public NodeService nodeService(NodeService service) {
                return Proxies.of(
                        NodeService.class,
                        (proxy, method, arguments) -> altered(service, arguments[0], () -> {
                            try {
                                return (CompletableFuture<?>) Proxies.invoke(service, method, arguments);
                            } catch (Throwable e) {
                                throw new IllegalStateException(e);
                            }
                        }));
            }

            private CompletableFuture<?> altered(
                    NodeService service, Object request, Supplier<CompletableFuture<?>> call) {
                if (defect.ofRenewals() || defect.ofLabels()) {
                    return renewals.call(service, request, call);
                }
                switch (defect) {
                    case CALLS_ARE_DOUBLED -> {
                        CompletableFuture<?> first = call.get();
                        CompletableFuture<?> second = call.get();
                        return first.thenCompose(nothing -> second);
                    }
                    case UNSTAGED_WITH_FIRST_TARGET -> {
                        if (request instanceof NodeStageVolumeRequest stage) {
                            stagings.put(stage.volumeId().value(), stage.stagingTargetPath());
                        }
                        if (request instanceof NodeUnpublishVolumeRequest unpublish
                                && stagings.containsKey(unpublish.volumeId().value())) {
                            return call.get()
                                    .thenCompose(nothing -> service.nodeUnstageVolume(NodeUnstageVolumeRequest.builder(
                                                    unpublish.volumeId(),
                                                    stagings.get(
                                                            unpublish.volumeId().value()))
                                            .build()));
                        }
                    }
                    case STAGING_PATH_CHANGES -> {
                        if (request instanceof NodeStageVolumeRequest stage) {
                            return service.nodeStageVolume(NodeStageVolumeRequest.builder(
                                            stage.volumeId(),
                                            stage.stagingTargetPath() + "-again",
                                            stage.volumeCapability())
                                    .publishContext(stage.publishContext())
                                    .volumeContext(stage.volumeContext())
                                    .build());
                        }
                    }
                    case FLAGS_OF_SECOND_MOUNT_ARE_LOST -> {
                        if (request instanceof NodeStageVolumeRequest stage) {
                            staged.put(stage.stagingTargetPath(), stage.volumeCapability());
                        }
                        if (request instanceof NodePublishVolumeRequest publish) {
                            return service.nodePublishVolume(altered(publish));
                        }
                    }
                    case WORKLOAD_INFO_IS_LOST_WITH_THE_ANSWER -> {
                        if (request instanceof NodePublishVolumeRequest publish
                                && published.put(publish.targetPath(), publish) != null) {
                            return service.nodePublishVolume(informed(publish, VolumeContext.empty()));
                        }
                    }
                    case WORKLOAD_INFO_IS_OF_FIRST_MOUNT -> {
                        if (request instanceof NodePublishVolumeRequest publish) {
                            NodePublishVolumeRequest first =
                                    published.computeIfAbsent(publish.volumeId().value(), unused -> publish);
                            return service.nodePublishVolume(informed(publish, first.volumeContext()));
                        }
                    }
                    case READONLY_IS_DROPPED,
                            GROUP_IS_SENT_TO_ANY_PLUGIN,
                            MODE_OF_SECOND_MOUNT_IS_LOST,
                            PUBLISH_CONTEXT_IS_LOST,
                            BLOCK_IS_PUBLISHED_AS_MOUNT -> {
                        if (request instanceof NodePublishVolumeRequest publish) {
                            return service.nodePublishVolume(altered(publish));
                        }
                    }
                    case PUBLISHED_BEFORE_STAGED -> {
                        if (request instanceof NodeStageVolumeRequest) {
                            CompletableFuture<?> unused = call.get();
                            return CompletableFuture.completedFuture(null);
                        }
                    }
                    case UNMOUNT_IS_NOT_VERIFIED -> {
                        if (request instanceof NodeUnpublishVolumeRequest
                                || request instanceof NodeUnstageVolumeRequest) {
                            return call.get().exceptionally(failure -> null);
                        }
                    }
                    case INLINE_VOLUME_WITHOUT_MOUNT_COUNTS_AS_REMOVED -> {
                        if (request instanceof NodeUnpublishVolumeRequest unpublish
                                && SimMadeVolumes.isInline(unpublish.volumeId())
                                && isUnmounted(unpublish.targetPath())) {
                            return CompletableFuture.completedFuture(null);
                        }
                    }
                    case UNSTAGE_IS_SKIPPED -> {
                        if (request instanceof NodeUnstageVolumeRequest) {
                            return CompletableFuture.completedFuture(null);
                        }
                    }
                    default -> {}
                }
                return call.get();
            }

            private boolean isUnmounted(String target) {
                return world.machines().stream()
                        .noneMatch(node -> node.mounts().stream()
                                .anyMatch(mount -> node.targets(mount).contains(target)));
            }

            private NodePublishVolumeRequest altered(NodePublishVolumeRequest publish) {
                boolean second = publish.targetPath().contains(NUMBERED);
                VolumeCapability capability = second
                        ? staged.getOrDefault(publish.stagingTargetPath().orElse(""), publish.volumeCapability())
                        : publish.volumeCapability();
                if (defect == NodeDefect.GROUP_IS_SENT_TO_ANY_PLUGIN && !capability.isBlock()) {
                    MountVolume mount = capability.mountVolume().orElseThrow();
                    capability = VolumeCapability.mount(
                            capability.accessMode(), new MountVolume(mount.fsType(), mount.mountFlags(), "3000"));
                }
                boolean asMount = defect == NodeDefect.BLOCK_IS_PUBLISHED_AS_MOUNT && capability.isBlock();
                return NodePublishVolumeRequest.builder(
                                publish.volumeId(),
                                publish.targetPath(),
                                asMount
                                        ? VolumeCapability.mount(
                                                capability.accessMode(),
                                                MountOptions.none().toMountVolume())
                                        : capability)
                        .stagingTargetPath(publish.stagingTargetPath().orElseThrow())
                        .publishContext(
                                defect == NodeDefect.PUBLISH_CONTEXT_IS_LOST
                                        ? PublishContext.empty()
                                        : publish.publishContext())
                        .volumeContext(publish.volumeContext())
                        .readonly(defect != NodeDefect.READONLY_IS_DROPPED
                                && !(second && defect == NodeDefect.MODE_OF_SECOND_MOUNT_IS_LOST)
                                && publish.readonly())
                        .build();
            }

            private NodePublishVolumeRequest informed(NodePublishVolumeRequest publish, VolumeContext context) {
                NodePublishVolumeRequest.Builder altered = NodePublishVolumeRequest.builder(
                                publish.volumeId(), publish.targetPath(), publish.volumeCapability())
                        .publishContext(publish.publishContext())
                        .volumeContext(context)
                        .readonly(publish.readonly());
                publish.stagingTargetPath().ifPresent(altered::stagingTargetPath);
                return altered.build();
            }

            @Override
            public boolean takesSignFirst() {
                return defect != NodeDefect.ROOT_KEEPS_ITS_SIGN;
            }

            @Override
            public boolean givesSignLast() {
                return defect != NodeDefect.ROOT_IS_CHANGED_FIRST;
            }

            @Override
            public VolumeOwnership ownership(VolumeOwnership ownership) {
                return (target, wanted, progress) -> {
                    FileOwnership first = changed.putIfAbsent(target.getParent().toString(), wanted);
                    return switch (defect) {
                        case GROUP_IS_LATE -> {
                            CompletableFuture<?> unused = ownership.change(target, wanted, progress);
                            yield CompletableFuture.completedFuture(null);
                        }
                        case FAILED_CHANGE_COUNTS_AS_DONE ->
                            ownership.change(target, wanted, progress).exceptionally(failure -> null);
                        case SECOND_CHANGE_IS_SKIPPED ->
                            first == null
                                    ? ownership.change(target, wanted, progress)
                                    : CompletableFuture.completedFuture(null);
                        case GROUP_OF_FIRST_MOUNT_STAYS ->
                            ownership.change(
                                    target,
                                    new FileOwnership(
                                            (first == null ? wanted : first).group(),
                                            wanted.policy(),
                                            wanted.owner(),
                                            wanted.excludes()),
                                    progress);
                        case ROOT_OWNER_IS_LOST ->
                            ownership.change(
                                    target,
                                    new FileOwnership(
                                            wanted.group(), wanted.policy(), OptionalLong.empty(), wanted.excludes()),
                                    progress);
                        case EACH_CHANGE_IS_ON_MISMATCH ->
                            ownership.change(
                                    target,
                                    new FileOwnership(
                                            wanted.group(),
                                            GroupChangePolicy.ON_ROOT_MISMATCH,
                                            wanted.owner(),
                                            wanted.excludes()),
                                    progress);
                        default -> ownership.change(target, wanted, progress);
                    };
                };
            }

            @Override
            public PublishTokenProvider tokens(PublishTokenProvider issuer) {
                return renewals.tokens(issuer);
            }

            @Override
            public Clock clock(Clock clock) {
                return renewals.clock(clock);
            }

            @Override
            public MountTable mountTable(MountTable table) {
                if (defect == NodeDefect.DROPPED_LABEL_IS_NOT_NOTICED) {
                    return renewals.mountTable(table);
                }
                if (defect != NodeDefect.UNMOUNT_IS_NOT_VERIFIED && defect != NodeDefect.UNSTAGE_IS_SKIPPED) {
                    return table;
                }
                return new MountTable() {
                    @Override
                    public MountPoints read() {
                        return MountPoints.of(List.of());
                    }

                    @Override
                    public Optional<String> bootId() {
                        return table.bootId();
                    }
                };
            }

            @Override
            public CompletableFuture<Void> detach(NodeVolumes volumes, NodeDetach request) {
                CompletableFuture<Void> answer = volumes.detach(request);
                return switch (defect) {
                    case UNMOUNT_ANSWERED_BEFORE_DONE -> CompletableFuture.completedFuture(null);
                    case LATE_UNMOUNT_ANSWERED_AS_DONE -> {
                        CompletableFuture<Void> early = answer.copy();
                        world.scheduler().after(PATIENCE, () -> early.complete(null));
                        yield early;
                    }
                    default -> answer;
                };
            }

            @Override
            public WriteGate gate(WriteGate gate) {
                return defect != NodeDefect.DISK_REFUSES_WRITES
                        ? gate
                        : () -> {
                            gate.pass();
                            if (world.scheduler().elapsed().compareTo(FULL_AFTER) > 0) {
                                throw new IOException("no space left on device");
                            }
                        };
            }

            @Override
            public boolean unmountsAtStart(AllocationId allocation, boolean runs) {
                return switch (defect) {
                    case ENDED_ALLOCATIONS_ARE_KEPT_AT_START -> false;
                    case EVERYTHING_IS_UNMOUNTED_AT_START -> true;
                    default -> !runs;
                };
            }
        };
    }
}
