package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class AttachmentsTest {
    @Test
    void attachmentsBehaveLikeTreeMapInRandomRuns() {
        long seed = Long.getLong("csi4j.seed", 1);
        System.out.println("AttachmentsTest seed " + seed);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        Attachments attachments = Attachments.empty();
        TreeMap<NodeId, Attachment> model = new TreeMap<>();
        for (int i = 0; i < 2000; i++) {
            Attachments before = attachments;
            NodeId node = NodeId.of("n" + random.nextInt(20));
            if (random.nextInt(i % 400 < 300 ? 3 : 2) > 0 && i % 400 < 380) {
                Attachment attachment = Attachment.builder(
                                node, RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY))
                        .state(List.of(AttachmentState.values()).get(random.nextInt(3)))
                        .build();
                attachments = attachments.with(attachment);
                model.put(node, attachment);
            } else {
                attachments = attachments.without(node);
                model.remove(node);
            }
            assertThat(attachments).containsExactlyElementsOf(model.values());
            assertThat(attachments).isEqualTo(Attachments.of(model.values()));
            assertThat(attachments.size()).isEqualTo(model.size());
            assertThat(attachments.isEmpty()).isEqualTo(model.isEmpty());
            assertThat(attachments.on(node).orElse(null)).isEqualTo(model.get(node));
            assertThat(attachments.unsettled())
                    .isEqualTo(model.values().stream()
                            .filter(a -> a.state() != AttachmentState.PUBLISHED)
                            .count());
            for (AttachmentState state : AttachmentState.values()) {
                assertThat(attachments.count(state))
                        .isEqualTo(model.values().stream()
                                .filter(a -> a.state() == state)
                                .count());
            }
            List<NodeId> reported = new ArrayList<>();
            attachments.changesSince(before, (was, is) -> reported.add(is == null ? was.nodeId() : is.nodeId()));
            assertThat(reported).isSubsetOf(node);
        }
    }
}
