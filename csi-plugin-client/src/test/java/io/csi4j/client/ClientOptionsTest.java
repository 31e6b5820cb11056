package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The settings of a client, and the values that it is built from. Nothing is sent. */
class ClientOptionsTest {
    private static final Endpoint ENDPOINT = Endpoint.parse("inprocess:///fake");

    private static void refused(ThrowingCallable call, String text) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(text);
    }

    @Test
    void viewsOfClientDifferInOneSettingAndShareItsConnection() {
        CallRules rules = CallRules.defaults();
        CallDeadlines deadlines = CallDeadlines.ofDefaults().with(Rpc.PROBE, Duration.ofSeconds(1));
        RetryOptions retries = RetryOptions.builder().maxAttempts(7).build();
        CsiClient client = CsiClient.builder(ENDPOINT)
                .plugin("ebs")
                .deadlines(deadlines)
                .rules(rules)
                .retries(retries)
                .build();
        assertThat(client.plugin()).isEqualTo("ebs");
        assertThat(client.endpoint()).isEqualTo(ENDPOINT);
        assertThat(client.deadlines()).isEqualTo(deadlines);
        assertThat(client.retries()).isSameAs(retries);
        assertThat(client.rules()).isSameAs(rules);
        assertThat(client).hasToString("CsiClient[ebs at inprocess:///fake]");
        CsiClient slow = client.withDeadline(Duration.ofHours(1));
        assertThat(slow.deadlines().of(Rpc.PROBE)).isEqualTo(Duration.ofHours(1));
        assertThat(slow.retries()).isSameAs(retries);
        CsiClient once = slow.withRetries(RetryOptions.none());
        assertThat(once.retries()).isSameAs(RetryOptions.none());
        assertThat(once.deadlines()).isEqualTo(slow.deadlines());
        assertThat(once.plugin()).isEqualTo("ebs");
        assertThat(once.endpoint()).isEqualTo(ENDPOINT);
        once.close();
        assertThat(client).hasToString("CsiClient[ebs at inprocess:///fake, closed]");
        assertThatThrownBy(() -> client.identity().probe())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the client of ebs at inprocess:///fake is closed");
    }

    @Test
    void clientWithoutNameIsNamedByItsEndpoint() {
        try (CsiClient client =
                CsiClient.builder(ENDPOINT).maxInboundMessageSize(1).build()) {
            assertThat(client.plugin()).isEqualTo("inprocess:///fake");
            assertThat(client).hasToString("CsiClient[inprocess:///fake]");
            assertThat(client.unresolved()).isEmpty();
        }
        CsiClient.Builder builder = CsiClient.builder(ENDPOINT);
        refused(() -> builder.plugin(" "), "plugin: the name is blank");
        refused(() -> builder.maxInboundMessageSize(0), "maxInboundMessageSize: 0 bytes");
    }

    @Test
    void socketHasAnOwnerOnlyIfOneIsNamed() {
        Endpoint socket = Endpoint.parse("/run/x.sock");
        assertThat(socket.owner()).isEmpty();
        Endpoint owned = socket.ownedBy("csi");
        assertThat(owned.owner()).contains("csi");
        assertThat(owned.path()).isEqualTo(socket.path());
        assertThat(owned)
                .isEqualTo(socket.ownedBy("csi"))
                .isNotEqualTo(socket)
                .isNotEqualTo(socket.ownedBy("1001"))
                .isNotEqualTo("unix:///run/x.sock")
                .hasToString("unix:///run/x.sock");
        refused(() -> socket.ownedBy(" "), "ownedBy: the user is blank");
        refused(() -> ENDPOINT.ownedBy("csi"), "ownedBy: inprocess:///fake is no Unix socket");
        assertThat(Endpoint.remote("tcp://[::1]:9000", TlsOptions.ofDefaults()).authority())
                .contains("[::1]:9000");
    }

    @Test
    void optionsOfTlsAreComparedByTheirFilesAndName() {
        Path file = Path.of("a.pem");
        Path key = Path.of("a.key");
        TlsOptions all = TlsOptions.builder()
                .trustedCertificates(file)
                .certificate(file, key)
                .serverName("x")
                .build();
        assertThat(all.trustedCertificates()).contains(file);
        assertThat(all.certificateChain()).contains(file);
        assertThat(all.privateKey()).contains(key);
        assertThat(all.serverName()).contains("x");
        TlsOptions same = TlsOptions.builder()
                .serverName("x")
                .certificate(file, key)
                .trustedCertificates(file)
                .build();
        assertThat(all).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo("x");
        for (TlsOptions other : List.of(
                TlsOptions.ofDefaults(),
                TlsOptions.builder().certificate(file, key).serverName("x").build(),
                TlsOptions.builder().trustedCertificates(file).serverName("x").build(),
                TlsOptions.builder()
                        .trustedCertificates(file)
                        .certificate(file, file)
                        .serverName("x")
                        .build(),
                TlsOptions.builder()
                        .trustedCertificates(file)
                        .certificate(file, key)
                        .build())) {
            assertThat(other).isNotEqualTo(all);
            assertThat(other.hashCode()).isNotEqualTo(all.hashCode());
        }
        refused(() -> TlsOptions.builder().serverName(" "), "serverName: is blank");
    }

    @Test
    void relayedCallShowsItsSubjectAndNoSecret() {
        byte[] deletion = DeleteVolumeRequest.newBuilder()
                .setVolumeId("vol-1")
                .putSecrets("password", "hunter42")
                .build()
                .toByteArray();
        RelayedCall call = RelayedCall.of(Rpc.DELETE_VOLUME, deletion);
        assertThat(call.rpc()).isEqualTo(Rpc.DELETE_VOLUME);
        assertThat(call.subject()).contains("vol-1");
        assertThat(call.message()).isEqualTo(deletion);
        assertThat(call.redacted("vol-1: hunter42 is wrong\n")).isEqualTo("vol-1: [hidden] is wrong\\n");
        assertThat(call).hasToString("RelayedCall[DeleteVolume, vol-1]");
        RelayedCall query = RelayedCall.of(
                Rpc.GET_CAPACITY, GetCapacityRequest.getDefaultInstance().toByteArray());
        assertThat(query.subject()).isEmpty();
        assertThat(query).hasToString("RelayedCall[GetCapacity]");
    }

    @Test
    void logShowsItsVisibleKeys() {
        RequestLog log = RequestLog.to(line -> {});
        assertThat(log).hasToString("RequestLog[]");
        assertThat(log.withVisibleKeys(Set.of("fsType"))).hasToString("RequestLog[shown keys [fsType]]");
        assertThat(log.lines().isOn()).isTrue();
        assertThat(RequestLog.ofDefaults()).hasToString("RequestLog[]");
    }
}
