package io.csi4j.client;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.service.ServiceCalls;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import java.time.Clock;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** Makes calls with one attempt, for tests of the transport. */
final class Wire {
    static final GetPluginInfoResponse INFO = info("test.csi4j.io");

    private Wire() {}

    static GetPluginInfoResponse info(String name) {
        return GetPluginInfoResponse.newBuilder()
                .setName(name)
                .setVendorVersion("1")
                .build();
    }

    private static ServiceCalls once(CsiClient client) {
        return client.withRetries(RetryOptions.none()).calls();
    }

    /** Makes a call that only reads. */
    static CompletableFuture<GetPluginInfoResponse> getPluginInfo(CsiClient client) {
        return once(client)
                .unary(
                        CsiRequest.empty(),
                        RpcCall.plain(
                                Rpc.GET_PLUGIN_INFO,
                                IdentityGrpc.getGetPluginInfoMethod(),
                                GetPluginInfoRequest.getDefaultInstance()),
                        Function.identity());
    }

    /** Makes a call that changes the volume {@code pvc-1}. */
    static CompletableFuture<CreateVolumeResponse> createVolume(CsiClient client) {
        return createVolume(
                client, CreateVolumeRequest.newBuilder().setName("pvc-1").build());
    }

    static CompletableFuture<CreateVolumeResponse> createVolume(CsiClient client, CreateVolumeRequest request) {
        return once(client)
                .unary(
                        CsiRequest.empty(),
                        RpcCall.about(
                                request.getName(),
                                Rpc.CREATE_VOLUME,
                                ControllerGrpc.getCreateVolumeMethod(),
                                request,
                                () -> SensitiveFields.of(request)),
                        Function.identity());
    }

    /**
     * Returns an executor that runs each task at once, so that callbacks run while gRPC reports a failure. On other threads than the
     * present one, tasks wait until {@code ready} is complete.
     */
    static Executor atOnce(CompletableFuture<?> ready) {
        Thread here = Thread.currentThread();
        return work -> {
            if (!here.equals(Thread.currentThread())) {
                Object unused = get(ready);
            }
            work.run();
        };
    }

    /** Returns an environment with the given executor; the client uses neither the clock nor the timer of the environment. */
    static Environment environment(Executor executor) {
        return environment(executor, new Random(1));
    }

    static Environment environment(Executor executor, RandomGenerator random) {
        return Environment.of(
                Clock.systemUTC(),
                (delay, task) -> {
                    throw new UnsupportedOperationException("the client does not use this timer");
                },
                executor,
                random);
    }

    /** Waits for the response, with a generous time limit. */
    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("no answer: " + e, e);
        }
    }

    /** Waits for the failure, with a generous time limit. */
    static CsiCallException failure(CompletableFuture<?> future) {
        try {
            Object answer = future.get(20, TimeUnit.SECONDS);
            throw new AssertionError("unexpected answer: " + answer);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CsiCallException failure) {
                return failure;
            }
            throw new AssertionError("unexpected failure: " + e.getCause(), e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("neither answer nor failure: " + e, e);
        }
    }
}
