package io.csi4j.benchmarks.client;

import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerGrpc.ControllerBlockingStub;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;

/** Makes calls with the blocking stub that gRPC generates. It supports sequential calls only. */
final class RawBlockingStub implements CallLoop {
    private final ControllerPublishVolumeRequest request = Wire.requests().get(0);
    private final ManagedChannel channel;
    private final ControllerBlockingStub stub;

    RawBlockingStub(ManagedChannel channel) {
        this.channel = channel;
        this.stub = ControllerGrpc.newBlockingStub(channel);
    }

    @Override
    public String name() {
        return "generated blocking stub";
    }

    @Override
    public void callAndWait() {
        var unused = stub.withDeadlineAfter(2, TimeUnit.MINUTES).controllerPublishVolume(request);
    }

    @Override
    public void begin(int volume, Runnable done) {
        throw new IllegalStateException("a blocking stub has one call at a time");
    }

    @Override
    public boolean asynchronous() {
        return false;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
