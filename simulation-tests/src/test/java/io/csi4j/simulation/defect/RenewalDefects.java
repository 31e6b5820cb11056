package io.csi4j.simulation.defect;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.PublishTokenProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Plants defects in repeated publications, in tokens and in labels of the agents. */
final class RenewalDefects {
    private static final String TOKENS = "csi.storage.k8s.io/serviceAccount.tokens";
    private static final SecurityLabel OTHER = new SecurityLabel("system_u:object_r:container_file_t:s0:c8,c9");

    private final NodeDefect defect;
    /** The first successful NodePublishVolume, by the target. */
    private final Map<String, NodePublishVolumeRequest> mounted = new HashMap<>();
    /** The tokens of the last calls, by the target. */
    private final Map<String, String> tokens = new HashMap<>();

    private final Set<String> staged = new HashSet<>();
    private final Map<String, String> labels = new HashMap<>();
    private final Map<Clock, Integer> starts = new HashMap<>();

    RenewalDefects(NodeDefect defect) {
        this.defect = defect;
    }

    /** Makes a call with the defect. */
    CompletableFuture<?> call(NodeService service, Object request, Supplier<CompletableFuture<?>> call) {
        if (request instanceof NodeStageVolumeRequest stage) {
            return stage(service, stage, call);
        }
        if (request instanceof NodePublishVolumeRequest publish) {
            return publish(service, publish);
        }
        if (request instanceof NodeUnpublishVolumeRequest unpublish) {
            NodePublishVolumeRequest before = mounted.remove(unpublish.targetPath());
            return defect == NodeDefect.REPETITION_FOLLOWS_UNMOUNT && before != null
                    ? call.get()
                            .thenCompose(done -> service.nodePublishVolume(before))
                            .thenCompose(done -> service.nodeUnpublishVolume(unpublish))
                    : call.get();
        }
        return call.get();
    }

    private CompletableFuture<?> stage(
            NodeService service, NodeStageVolumeRequest stage, Supplier<CompletableFuture<?>> call) {
        label(stage.volumeCapability()).ifPresent(label -> labels.put(stage.stagingTargetPath(), label));
        boolean again = !staged.add(stage.stagingTargetPath());
        if (defect == NodeDefect.LABEL_IS_LOST_IN_SECOND_STAGE && again) {
            return service.nodeStageVolume(NodeStageVolumeRequest.builder(
                            stage.volumeId(),
                            stage.stagingTargetPath(),
                            labelled(stage.volumeCapability(), Optional.empty()))
                    .publishContext(stage.publishContext())
                    .volumeContext(stage.volumeContext())
                    .build());
        }
        return call.get();
    }

    private CompletableFuture<?> publish(NodeService service, NodePublishVolumeRequest publish) {
        String path = publish.targetPath();
        NodePublishVolumeRequest first = mounted.get(path);
        label(publish.volumeCapability()).ifPresent(label -> labels.put(path, label));
        if (defect == NodeDefect.REPETITION_IS_SKIPPED && first != null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<?> answer = service.nodePublishVolume(altered(publish, first));
        Optional.ofNullable(token(publish)).ifPresent(json -> tokens.put(path, json));
        return answer.thenAccept(done -> mounted.putIfAbsent(path, publish));
    }

    private static String token(NodePublishVolumeRequest publish) {
        String secret = publish.secrets().asMap().get(TOKENS);
        return secret == null ? publish.volumeContext().asMap().get(TOKENS) : secret;
    }

    private NodePublishVolumeRequest altered(NodePublishVolumeRequest publish, NodePublishVolumeRequest first) {
        Map<String, String> secrets = new HashMap<>(publish.secrets().asMap());
        Map<String, String> context = new HashMap<>(publish.volumeContext().asMap());
        VolumeCapability capability = publish.volumeCapability();
        boolean readonly = publish.readonly();
        String json = token(publish);
        switch (defect) {
            case TOKENS_OF_FIRST_CALL_ARE_KEPT -> {
                if (first != null) {
                    return first;
                }
            }
            case TOKENS_ARE_IN_BOTH_FIELDS -> {
                if (json != null) {
                    secrets.put(TOKENS, json);
                    context.put(TOKENS, json);
                }
            }
            case TOKENS_ARE_LOST_IN_REPETITION -> {
                if (first != null) {
                    secrets.remove(TOKENS);
                    context.remove(TOKENS);
                }
            }
            case TOKENS_ARE_OF_ANOTHER_MOUNT -> {
                String other = tokens.entrySet().stream()
                        .filter(entry -> !entry.getKey().equals(publish.targetPath()))
                        .map(Map.Entry::getValue)
                        .sorted()
                        .findFirst()
                        .orElse(json);
                secrets.computeIfPresent(TOKENS, (key, own) -> other);
                context.computeIfPresent(TOKENS, (key, own) -> other);
            }
            case REPETITION_HAS_OTHER_FIELDS -> readonly |= first != null;
            case LABEL_IS_LOST_IN_PUBLISH -> capability = labelled(capability, Optional.empty());
            case SECOND_MOUNT_HAS_ANOTHER_LABEL -> {
                boolean second = mounted.values().stream()
                        .anyMatch(other -> other.volumeId().equals(publish.volumeId())
                                && !other.targetPath().equals(publish.targetPath()));
                if (second && label(capability).isPresent()) {
                    capability = labelled(capability, Optional.of(OTHER));
                }
            }
            default -> {}
        }
        NodePublishVolumeRequest.Builder copy = NodePublishVolumeRequest.builder(
                        publish.volumeId(), publish.targetPath(), capability)
                .publishContext(publish.publishContext())
                .volumeContext(VolumeContext.of(context))
                .secrets(Secrets.of(secrets))
                .readonly(readonly);
        publish.stagingTargetPath().ifPresent(copy::stagingTargetPath);
        return copy.build();
    }

    private static Optional<String> label(VolumeCapability capability) {
        return capability.mountVolume().stream()
                .flatMap(mount -> mount.mountFlags().asList().stream())
                .filter(SecurityLabel::isSetBy)
                .map(flag -> flag.substring(flag.indexOf('"') + 1, flag.length() - 1))
                .findFirst();
    }

    private static VolumeCapability labelled(VolumeCapability capability, Optional<SecurityLabel> label) {
        if (capability.isBlock()) {
            return capability;
        }
        MountVolume mount = capability.mountVolume().orElseThrow();
        List<String> flags = new ArrayList<>(mount.mountFlags().asList());
        flags.removeIf(SecurityLabel::isSetBy);
        label.ifPresent(one -> flags.add(one.mountFlag()));
        return VolumeCapability.mount(
                capability.accessMode(),
                new MountVolume(mount.fsType(), MountFlags.of(flags.toArray(String[]::new)), mount.volumeMountGroup()));
    }

    /** Returns an issuer whose tokens seem to last longer than they do. */
    PublishTokenProvider tokens(PublishTokenProvider issuer) {
        return defect == NodeDefect.TOKEN_IS_SENT_LATE
                ? request -> issuer.tokens(request)
                        .thenApply(made -> made.stream()
                                .map(token -> new PublishTokenProvider.Token(
                                        token.audience(),
                                        token.token(),
                                        token.expiresAt().plus(Duration.ofHours(1))))
                                .toList())
                : issuer;
    }

    /** Returns a clock that each start of the agent sets back, so that no stored time is near. */
    Clock clock(Clock clock) {
        int start = starts.merge(clock, 1, Integer::sum);
        return defect == NodeDefect.DUE_TIME_IS_LOST_IN_RESTART && start > 1
                ? Clock.offset(clock, Duration.ofDays(-start))
                : clock;
    }

    /** Returns a mount table in which mounts have the labels of their calls. */
    MountTable mountTable(MountTable table) {
        return new MountTable() {
            @Override
            public MountPoints read() throws IOException {
                MountPoints points = table.read();
                List<Path> all = new ArrayList<>(points.within(Path.of("/")));
                Map<Path, String> contexts = new HashMap<>();
                all.forEach(path ->
                        Optional.ofNullable(labels.get(path.toString())).ifPresent(label -> contexts.put(path, label)));
                return points.withContexts(contexts);
            }

            @Override
            public Optional<String> bootId() {
                return table.bootId();
            }
        };
    }
}
