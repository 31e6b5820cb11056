package io.csi4j.benchmarks.node;

import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeResponse;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeResponse;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A node plugin in a separate process that mounts nothing and listens on any number of sockets. It answers at once, or
 * it handles a limited number of calls at a time and delays each of them. It ends when its standard input is closed.
 */
final class PluginProgram implements AutoCloseable {
    private final Process process;
    private final Path directory;

    private PluginProgram(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    static PluginProgram start(Path directory, int sockets, int millis, int maxConcurrent) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        PluginProgram.class.getName(),
                        directory.toString(),
                        String.valueOf(sockets),
                        String.valueOf(millis),
                        String.valueOf(maxConcurrent)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (output.readLine() == null) {
            process.destroyForcibly();
            throw new IOException("the plugin process ended before it listened in " + directory);
        }
        return new PluginProgram(process, directory);
    }

    Path socket(int number) {
        return socket(directory, number);
    }

    private static Path socket(Path directory, int number) {
        return directory.resolve(number + ".sock");
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit()
                .orTimeout(5, TimeUnit.SECONDS)
                .exceptionally(timeout -> process.destroyForcibly())
                .join();
    }

    /**
     * Starts the plugin.
     *
     * @param arguments the directory of the sockets, their number, the milliseconds of a call, the number of concurrent calls
     * @throws IOException if the plugin cannot listen on a socket
     */
    public static void main(String[] arguments) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("plugin", true), EpollIoHandler.newFactory());
        CallLimiter limiter = new CallLimiter(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            NettyServerBuilder.forAddress(new DomainSocketAddress(
                            socket(Path.of(arguments[0]), i).toFile()))
                    .channelType(EpollServerDomainSocketChannel.class)
                    .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                    .bossEventLoopGroup(loop)
                    .workerEventLoopGroup(loop)
                    .directExecutor()
                    .addService(new Identity())
                    .addService(new Node(limiter))
                    .build()
                    .start();
        }
        System.out.println("listening");
        while (System.in.read() >= 0) {
            // Ignores the bytes of the standard input, because only its end matters.
        }
        System.exit(0);
    }

    private static <T> void answer(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }

    /** Limits the number of concurrent calls and delays each call by the same time. */
    private static final class CallLimiter {
        private final int millis;
        private final Semaphore permits;
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        private final java.util.Queue<Runnable> waiting = new java.util.concurrent.ConcurrentLinkedQueue<>();

        CallLimiter(int millis, int maxConcurrent) {
            this.millis = millis;
            this.permits = new Semaphore(maxConcurrent);
        }

        void run(Runnable call) {
            if (millis == 0) {
                call.run();
                return;
            }
            waiting.add(call);
            next();
        }

        private void next() {
            while (!waiting.isEmpty() && permits.tryAcquire()) {
                Runnable call = waiting.poll();
                if (call == null) {
                    permits.release();
                    return;
                }
                var unused = timer.schedule(
                        () -> {
                            call.run();
                            permits.release();
                            next();
                        },
                        millis,
                        TimeUnit.MILLISECONDS);
            }
        }
    }

    private static final class Identity extends IdentityGrpc.IdentityImplBase {
        @Override
        public void getPluginInfo(GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> observer) {
            answer(
                    observer,
                    GetPluginInfoResponse.newBuilder()
                            .setName("instant.csi4j.io")
                            .setVendorVersion("1")
                            .build());
        }

        @Override
        public void getPluginCapabilities(
                GetPluginCapabilitiesRequest request, StreamObserver<GetPluginCapabilitiesResponse> observer) {
            answer(observer, GetPluginCapabilitiesResponse.getDefaultInstance());
        }

        @Override
        public void probe(ProbeRequest request, StreamObserver<ProbeResponse> observer) {
            answer(observer, ProbeResponse.getDefaultInstance());
        }
    }

    private static final class Node extends NodeGrpc.NodeImplBase {
        private final CallLimiter limiter;

        Node(CallLimiter limiter) {
            this.limiter = limiter;
        }

        @Override
        public void nodeStageVolume(NodeStageVolumeRequest request, StreamObserver<NodeStageVolumeResponse> observer) {
            limiter.run(() -> answer(observer, NodeStageVolumeResponse.getDefaultInstance()));
        }

        @Override
        public void nodePublishVolume(
                NodePublishVolumeRequest request, StreamObserver<NodePublishVolumeResponse> observer) {
            limiter.run(() -> answer(observer, NodePublishVolumeResponse.getDefaultInstance()));
        }

        @Override
        public void nodeUnpublishVolume(
                NodeUnpublishVolumeRequest request, StreamObserver<NodeUnpublishVolumeResponse> observer) {
            limiter.run(() -> answer(observer, NodeUnpublishVolumeResponse.getDefaultInstance()));
        }

        @Override
        public void nodeUnstageVolume(
                NodeUnstageVolumeRequest request, StreamObserver<NodeUnstageVolumeResponse> observer) {
            limiter.run(() -> answer(observer, NodeUnstageVolumeResponse.getDefaultInstance()));
        }

        @Override
        public void nodeGetCapabilities(
                NodeGetCapabilitiesRequest request, StreamObserver<NodeGetCapabilitiesResponse> observer) {
            NodeServiceCapability.RPC stageCapability = NodeServiceCapability.RPC
                    .newBuilder()
                    .setType(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME)
                    .build();
            answer(
                    observer,
                    NodeGetCapabilitiesResponse.newBuilder()
                            .addCapabilities(NodeServiceCapability.newBuilder().setRpc(stageCapability))
                            .build());
        }

        @Override
        public void nodeGetInfo(NodeGetInfoRequest request, StreamObserver<NodeGetInfoResponse> observer) {
            answer(observer, NodeGetInfoResponse.newBuilder().setNodeId("n").build());
        }
    }
}
