package io.csi4j.core.lifecycle.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A caller without MANAGEMENT gets each part of a volume that is not sensitive, and no other. */
class StateViewsTest {
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final MountOptions FLAGS = MountOptions.of("ext4", "password=hunter2");
    private static final MountOptions PLAIN = MountOptions.of("ext4");
    private static final PublishContext CONTEXT = PublishContext.of(Map.of("token", "hunter2"));

    private static Attachment attachment(String node, PublishContext context, MountOptions options) {
        return Attachment.builder(NodeId.of(node), USE)
                .createIndex(7)
                .publishContext(context)
                .mountOptions(options)
                .build();
    }

    private static Claim claim(String allocation, MountOptions options) {
        return Claim.builder(AllocationId.of(allocation), NodeId.of("n1"), ClaimMode.WRITE, USE)
                .createIndex(8)
                .mountOptions(options)
                .build();
    }

    private static Volume volume(
            VolumeSpec spec,
            VolumeContext context,
            List<Attachment> attachments,
            List<Claim> claims,
            Modification change) {
        Attachments attached = Attachments.empty();
        for (Attachment attachment : attachments) {
            attached = attached.with(attachment);
        }
        return Volume.builder(VolumeKey.of("default", "v"), spec, 5, Instant.EPOCH)
                .facts(ProviderFacts.builder()
                        .capacityBytes(100)
                        .volumeContext(context)
                        .build())
                .attachments(attached)
                .claims(Claims.of(claims))
                .modification(change)
                .build();
    }

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PluginId.of("p")).name("disk").requestedCapabilities(List.of(USE));
    }

    @Test
    void viewHasAllPartsButTheSensitiveOnes() {
        Modification change = Modification.of(Map.of("iops", "hunter2"), 9);
        Volume complete = volume(
                spec().secrets(Secrets.of(Map.of("password", "hunter2")))
                        .volumeContext(VolumeContext.of(Map.of("pool", "hunter2")))
                        .mountOptions(FLAGS)
                        .parameters(Map.of("tier", "hunter2"))
                        .mutableParameters(Map.of("iops", "hunter2"))
                        .build(),
                VolumeContext.of(Map.of("lun", "hunter2")),
                List.of(
                        attachment("both", CONTEXT, FLAGS),
                        attachment("context", CONTEXT, PLAIN),
                        attachment("flags", PublishContext.empty(), FLAGS),
                        attachment("none", PublishContext.empty(), PLAIN)),
                List.of(claim("a", FLAGS), claim("b", PLAIN)),
                change);
        Volume plain = volume(
                spec().mountOptions(PLAIN).build(),
                VolumeContext.empty(),
                List.of(
                        attachment("both", PublishContext.empty(), PLAIN),
                        attachment("context", PublishContext.empty(), PLAIN),
                        attachment("flags", PublishContext.empty(), PLAIN),
                        attachment("none", PublishContext.empty(), PLAIN)),
                List.of(claim("a", PLAIN), claim("b", PLAIN)),
                Modification.restore(Map.of(), change.index(), change.retry()));
        assertThat(StateViews.withoutSensitive(complete)).isEqualTo(plain);
        assertThat(StateViews.withoutSensitive(plain)).isEqualTo(plain);
        Volume unchanged = plain.toBuilder().modification(null).build();
        assertThat(StateViews.withoutSensitive(unchanged)).isEqualTo(unchanged);
    }
}
