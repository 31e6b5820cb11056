package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls of a client for volumes that are provisioned at the plugin. */
final class VolumeCalls implements AutoCloseable {
    static final VolumeCapability WRITER = VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    static final String PASSWORD = "correct-horse-battery";
    private static final long SECONDS = 30;

    final CsiClient client;

    private VolumeCalls(CsiClient client) {
        this.client = client;
    }

    /** Calls with the retries of the client. */
    static VolumeCalls retrying(String endpoint) {
        return new VolumeCalls(CsiClient.connect(endpoint));
    }

    /** Calls without retries. */
    static VolumeCalls once(String endpoint) {
        return new VolumeCalls(CsiClient.builder(Endpoint.parse(endpoint))
                .retries(RetryOptions.none())
                .build());
    }

    VolumeCalls within(Duration deadline) {
        return new VolumeCalls(client.withDeadline(deadline));
    }

    CompletableFuture<ControllerPublishVolumeResponse> publish(String volume, String node) {
        return client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                ExternalVolumeId.of(volume), ExternalNodeId.of(node), WRITER)
                        .build());
    }

    CompletableFuture<ControllerPublishVolumeResponse> publishWithSecrets(String volume, String node) {
        return client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                ExternalVolumeId.of(volume), ExternalNodeId.of(node), WRITER)
                        .secrets(Secrets.of(Map.of("password", PASSWORD)))
                        .build());
    }

    CompletableFuture<Void> unpublish(String volume, String node) {
        return client.controller()
                .controllerUnpublishVolume(
                        ControllerUnpublishVolumeRequest.builder(ExternalVolumeId.of(volume), ExternalNodeId.of(node))
                                .build());
    }

    String create(String name) {
        return get(creating(name)).volume().volumeId().value();
    }

    CompletableFuture<CreateVolumeResponse> creating(String name) {
        return client.controller()
                .createVolume(CreateVolumeRequest.builder(name, List.of(WRITER)).build());
    }

    void delete(String volume) {
        get(client.controller()
                .deleteVolume(
                        DeleteVolumeRequest.builder(ExternalVolumeId.of(volume)).build()));
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }

    static CsiCallException failure(CompletableFuture<?> future) {
        try {
            throw new AssertionError("unexpected answer: " + future.get(SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            assertThat(failed.getCause()).isInstanceOf(CsiCallException.class);
            return (CsiCallException) failed.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
