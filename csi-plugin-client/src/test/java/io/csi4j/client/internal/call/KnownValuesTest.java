package io.csi4j.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.grpc.MethodDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Confidential values of earlier calls that are hidden in the texts of later responses. */
class KnownValuesTest {
    private final KnownValues known = new KnownValues();

    private <Q extends Message, A> RpcCall<Q, A> sent(
            Rpc rpc, MethodDescriptor<Q, A> method, String volume, Q request) {
        return known.sending(RpcCall.about(volume, rpc, method, request, SensitiveValues::none));
    }

    private void publish(String volume, String secret) {
        var unused = sent(
                Rpc.NODE_PUBLISH_VOLUME,
                NodeGrpc.getNodePublishVolumeMethod(),
                volume,
                NodePublishVolumeRequest.newBuilder()
                        .setVolumeId(volume)
                        .putSecrets("password", secret)
                        .build());
    }

    private String redactedAtUnpublish(String volume, String text) {
        return textsOf(volume).scrub(text);
    }

    private SensitiveValues textsOf(String volume) {
        return sent(
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        NodeGrpc.getNodeUnpublishVolumeMethod(),
                        volume,
                        NodeUnpublishVolumeRequest.newBuilder()
                                .setVolumeId(volume)
                                .build())
                .sensitive()
                .get();
    }

    private String redactedAtProbe(String text) {
        return known.sending(RpcCall.plain(Rpc.PROBE, IdentityGrpc.getProbeMethod(), ProbeRequest.getDefaultInstance()))
                .sensitive()
                .get()
                .scrub(text);
    }

    @Test
    void secretFromEarlierCallIsHiddenInLaterTextAboutItsVolume() {
        publish("vol-a", "first-secret");
        assertThat(redactedAtUnpublish("vol-a", "bad: first-secret")).isEqualTo("bad: [hidden]");
        assertThat(redactedAtProbe("bad: first-secret")).isEqualTo("bad: [hidden]");
    }

    @Test
    void secretOfOneVolumeIsHiddenInTextAboutAnother() {
        publish("vol-a", "first-secret");
        String hex = HexFormat.of().formatHex("first-secret".getBytes(StandardCharsets.UTF_8));
        assertThat(redactedAtUnpublish("vol-b", "bad: FIRST-secret, " + hex + ", first-secret2"))
                .isEqualTo("bad: [hidden], [hidden], [hidden]2");
        assertThat(TextSanitizer.clean("x".repeat(995) + "first-secret", textsOf("vol-b")))
                .isEqualTo("x".repeat(995) + "[hidden]... (cut; it had 1007 characters)");
    }

    @Test
    void shortSecretAndContextOfOneVolumeStayVisibleInTextAboutAnother() {
        publish("vol-a", "1234567");
        var unused = sent(
                Rpc.NODE_PUBLISH_VOLUME,
                NodeGrpc.getNodePublishVolumeMethod(),
                "vol-a",
                NodePublishVolumeRequest.newBuilder()
                        .setVolumeId("vol-a")
                        .putVolumeContext("pool", "production")
                        .build());
        assertThat(redactedAtUnpublish("vol-a", "1234567 of production")).isEqualTo("[hidden] of [hidden]");
        assertThat(redactedAtUnpublish("vol-b", "1234567 of production")).isEqualTo("1234567 of production");
    }

    @Test
    void ownIdThatContainsSecretOfAnotherVolumeStaysVisible() {
        publish("vol-a", "customer-7");
        assertThat(redactedAtUnpublish("customer-7-data", "customer-7-data is busy, not customer-7"))
                .isEqualTo("customer-7-data is busy, not [hidden]");
    }

    @Test
    void secretFromCreateVolumeIsHiddenInTextAboutNewVolume() {
        RpcCall<CreateVolumeRequest, CreateVolumeResponse> creation = known.sending(RpcCall.about(
                null,
                Rpc.CREATE_VOLUME,
                ControllerGrpc.getCreateVolumeMethod(),
                CreateVolumeRequest.newBuilder()
                        .setName("pvc-1")
                        .putSecrets("password", "create-secret")
                        .build(),
                SensitiveValues::none));
        known.answered(
                creation,
                CreateVolumeResponse.newBuilder()
                        .setVolume(
                                Volume.newBuilder().setVolumeId("vol-new").putVolumeContext("portal", "context-value"))
                        .build());
        assertThat(redactedAtUnpublish("vol-new", "create-secret and context-value"))
                .isEqualTo("[hidden] and [hidden]");
    }

    @Test
    void valuesOfDeletedVolumeAreForgotten() {
        publish("vol-a", "first-secret");
        known.answered(
                sent(
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        ControllerGrpc.getControllerPublishVolumeMethod(),
                        "vol-a",
                        ControllerPublishVolumeRequest.getDefaultInstance()),
                ControllerPublishVolumeResponse.newBuilder()
                        .putPublishContext("portal", "context-value")
                        .build());
        RpcCall<DeleteVolumeRequest, DeleteVolumeResponse> deletion = sent(
                Rpc.DELETE_VOLUME,
                ControllerGrpc.getDeleteVolumeMethod(),
                "vol-a",
                DeleteVolumeRequest.newBuilder().setVolumeId("vol-a").build());
        assertThat(deletion.sensitive().get().scrub("context-value")).isEqualTo("[hidden]");
        known.answered(deletion, DeleteVolumeResponse.getDefaultInstance());
        assertThat(redactedAtUnpublish("vol-a", "context-value")).isEqualTo("context-value");
        // Another volume may have the same secret, so it stays hidden.
        assertThat(redactedAtUnpublish("vol-a", "first-secret")).isEqualTo("[hidden]");
    }

    @Test
    void wholeTextIsHiddenIfValuesOfItsVolumeWereDropped() {
        for (int i = 0; i <= 200; i++) {
            publish("vol-a", "secret-number-" + i);
        }
        assertThat(redactedAtUnpublish("vol-a", "secret-number-0 of a mount")).isEqualTo("[hidden]");
        assertThat(redactedAtProbe("not ready")).isEqualTo("[hidden]");
        assertThat(redactedAtUnpublish("vol-b", "busy")).isEqualTo("busy");
    }

    @Test
    void repeatedValueIsStoredOnce() {
        for (int i = 0; i < 1000; i++) {
            publish("vol-a", "secret-number-" + i % 200);
        }
        assertThat(redactedAtUnpublish("vol-a", "secret-number-0 of a mount")).isEqualTo("[hidden] of a mount");
    }

    /** Publishes a volume whose context has values of the form VOLUME-NUMBER. */
    private void publishWithContext(String volume, int values) {
        ControllerPublishVolumeRequest.Builder request = ControllerPublishVolumeRequest.newBuilder();
        for (int i = 0; i < values; i++) {
            request.putVolumeContext("key-" + i, volume + "-" + i);
        }
        var unused = sent(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                ControllerGrpc.getControllerPublishVolumeMethod(),
                volume,
                request.build());
    }

    @Test
    void textWithoutVolumeHidesTwoThousandValuesOfContexts() {
        for (int volume = 0; volume < 20; volume++) {
            publishWithContext("vol" + volume, 100);
        }
        for (int volume = 0; volume < 20; volume++) {
            assertThat(redactedAtProbe("not ready, vol" + volume + "-7")).isEqualTo("not ready, [hidden]");
        }
    }

    @Test
    void textWithoutVolumeIsHiddenOnceContextsWereDropped() {
        int volumes = 510;
        for (int volume = 0; volume < volumes; volume++) {
            publishWithContext("vol" + volume, 200);
        }
        for (int volume = 0; volume < volumes; volume++) {
            known.answered(
                    RpcCall.about(
                            "vol" + volume,
                            Rpc.DELETE_VOLUME,
                            ControllerGrpc.getDeleteVolumeMethod(),
                            DeleteVolumeRequest.getDefaultInstance(),
                            SensitiveValues::none),
                    DeleteVolumeResponse.getDefaultInstance());
        }
        assertThat(redactedAtProbe("not ready")).isEqualTo("[hidden]");
    }

    @Test
    void responseWithoutVolumeIsNoValueOfLaterText() {
        known.answered(
                known.sending(RpcCall.about(
                        null,
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        ControllerGrpc.getControllerPublishVolumeMethod(),
                        ControllerPublishVolumeRequest.getDefaultInstance(),
                        SensitiveValues::none)),
                ControllerPublishVolumeResponse.newBuilder()
                        .putPublishContext("portal", "context-value")
                        .build());
        assertThat(redactedAtProbe("context-value")).isEqualTo("context-value");
    }

    @Test
    void textWithoutVolumeIsHiddenIfTooManyValuesAreKnown() {
        for (int volume = 0; volume < 20; volume++) {
            for (int i = 0; i < 100; i++) {
                publish("vol-" + volume, "secret-" + volume + "-" + i);
            }
        }
        assertThat(redactedAtProbe("not ready, secret-3-7")).isEqualTo("not ready, [hidden]");
        publish("vol-20", "one-more-secret");
        assertThat(redactedAtProbe("not ready, secret-3-7")).isEqualTo("[hidden]");
        assertThat(redactedAtUnpublish("vol-3", "busy, secret-3-7")).isEqualTo("busy, [hidden]");
    }
}
