package io.csi4j.benchmarks.client;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerGrpc.ControllerFutureStub;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.grpc.ManagedChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes calls with the future stub that gRPC generates; each call has a deadline. */
final class RawFutureStub implements CallLoop {
    private final List<ControllerPublishVolumeRequest> requests = Wire.requests();
    private final ManagedChannel channel;
    private final ControllerFutureStub stub;

    RawFutureStub(ManagedChannel channel) {
        this.channel = channel;
        this.stub = ControllerGrpc.newFutureStub(channel);
    }

    @Override
    public String name() {
        return "generated future stub";
    }

    @Override
    public void callAndWait() throws Exception {
        stub.withDeadlineAfter(2, TimeUnit.MINUTES)
                .controllerPublishVolume(requests.get(0))
                .get();
    }

    @Override
    public void begin(int volume, Runnable done) {
        Futures.addCallback(
                stub.withDeadlineAfter(2, TimeUnit.MINUTES).controllerPublishVolume(requests.get(volume)),
                new FutureCallback<ControllerPublishVolumeResponse>() {
                    @Override
                    public void onSuccess(@Nullable ControllerPublishVolumeResponse response) {
                        done.run();
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        ClientBenchmark.stop(failure);
                    }
                },
                MoreExecutors.directExecutor());
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
