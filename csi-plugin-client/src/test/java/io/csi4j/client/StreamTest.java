package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.socket.IoThread;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.retry.AttemptEvent;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamTest {
    @TempDir
    Path directory;

    private PluginServer server;
    private CsiClient client;

    @BeforeEach
    void start() throws Exception {
        Path socket = directory.resolve("x.sock");
        server = PluginServer.start(socket, call -> {});
        client = CsiClient.connect(socket.toString());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static byte[] message(long number) {
        return GetMetadataAllocatedResponse.newBuilder()
                .setVolumeCapacityBytes(number)
                .build()
                .toByteArray();
    }

    /** Returns a behaviour that sends the messages 1 to {@code count} and then the status. */
    private static PluginServer.Behaviour counting(int count, Status end) {
        return call -> {
            call.headers();
            for (int i = 1; i <= count; i++) {
                call.send(message(i));
            }
            call.end(end);
        };
    }

    private static Flow.Publisher<Long> numbers(CsiClient client) {
        return client.calls().stream(
                CsiRequest.empty(),
                RpcCall.about(
                        "snap-1",
                        Rpc.GET_METADATA_ALLOCATED,
                        SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
                        GetMetadataAllocatedRequest.getDefaultInstance(),
                        SensitiveValues::none),
                GetMetadataAllocatedResponse::getVolumeCapacityBytes);
    }

    /** A subscriber that keeps received messages and requests none by itself. */
    private static class Reader implements Flow.Subscriber<Long> {
        final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
        final BlockingQueue<Long> received = new LinkedBlockingQueue<>();
        final CompletableFuture<Void> end = new CompletableFuture<>();

        @Override
        public void onSubscribe(Flow.Subscription given) {
            assertThat(subscription.complete(given)).isTrue();
        }

        @Override
        public void onNext(Long number) {
            assertThat(end).isNotDone();
            received.add(number);
        }

        @Override
        public void onError(Throwable failure) {
            assertThat(end.completeExceptionally(failure)).isTrue();
        }

        @Override
        public void onComplete() {
            assertThat(end.complete(null)).isTrue();
        }

        Reader to(Flow.Publisher<Long> publisher) {
            publisher.subscribe(this);
            return this;
        }

        void request(long n) {
            subscription.join().request(n);
        }

        List<Long> take(int count) throws InterruptedException {
            List<Long> taken = new ArrayList<>();
            while (taken.size() < count) {
                Long next = received.poll(20, TimeUnit.SECONDS);
                assertThat(next).as("a message follows %s", taken).isNotNull();
                taken.add(next);
            }
            return taken;
        }
    }

    @Test
    void messagesArriveInOrderBeforeEndOfStream() throws Exception {
        server.behave(counting(1_000, Status.OK));
        Reader reader = new Reader().to(numbers(client));
        reader.request(Long.MAX_VALUE);
        Wire.get(reader.end);
        assertThat(reader.take(1_000)).isSorted().startsWith(1L).endsWith(1_000L);
        assertThat(reader.received).isEmpty();
    }

    @Test
    void observerGetsEndOfEachStream() throws Exception {
        BlockingQueue<AttemptEvent> tried = new LinkedBlockingQueue<>();
        try (CsiClient watched = CsiClient.builder(client.endpoint())
                .plugin("ebs")
                .observer(tried::add)
                .build()) {
            server.behave(counting(3, Status.OK));
            Reader complete = new Reader().to(numbers(watched));
            complete.request(Long.MAX_VALUE);
            Wire.get(complete.end);
            AttemptEvent first = tried.poll(20, TimeUnit.SECONDS);
            assertThat(first.rpc()).isEqualTo(Rpc.GET_METADATA_ALLOCATED);
            assertThat(first.plugin()).isEqualTo("ebs");
            assertThat(first.code()).isEqualTo(StatusCode.OK);
            assertThat(first.number()).isEqualTo(1);
            assertThat(first.backoff()).isEmpty();

            server.behave(counting(1, Status.NOT_FOUND));
            Reader failed = new Reader().to(numbers(watched));
            failed.request(Long.MAX_VALUE);
            assertThat(Wire.failure(failed.end).code()).isEqualTo(StatusCode.NOT_FOUND);
            assertThat(tried.poll(20, TimeUnit.SECONDS).code()).isEqualTo(StatusCode.NOT_FOUND);

            server.behave(call -> {});
            Reader cancelled = new Reader().to(numbers(watched));
            cancelled.subscription.join().cancel();
            cancelled.subscription.join().cancel();
            assertThat(tried.poll(20, TimeUnit.SECONDS).code()).isEqualTo(StatusCode.CANCELLED);
        }
        assertThat(tried).isEmpty();
    }

    @Test
    void onlyRequestedMessagesAreDelivered() throws Exception {
        server.behave(counting(10, Status.OK));
        Reader reader = new Reader().to(numbers(client));
        reader.request(2);
        assertThat(reader.take(2)).containsExactly(1L, 2L);
        // All ten messages have been sent before the response to this later call.
        server.behave(call -> call.ok(Wire.INFO));
        Wire.get(Wire.getPluginInfo(client));
        assertThat(reader.received).isEmpty();
        assertThat(reader.end).isNotDone();
        reader.request(1);
        reader.request(2);
        assertThat(reader.take(3)).containsExactly(3L, 4L, 5L);
        reader.request(5);
        Wire.get(reader.end);
        assertThat(reader.take(5)).containsExactly(6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void eachSubscriberStartsNewCall() throws Exception {
        server.behave(counting(3, Status.OK));
        Flow.Publisher<Long> publisher = numbers(client);
        assertThat(server.calls()).isZero();
        for (int i = 1; i <= 2; i++) {
            Reader reader = new Reader().to(publisher);
            reader.request(3);
            Wire.get(reader.end);
            assertThat(reader.take(3)).containsExactly(1L, 2L, 3L);
            assertThat(server.calls()).isEqualTo(i);
        }
    }

    @Test
    void brokenStreamDeliversReceivedMessagesAndFails() throws Exception {
        server.behave(counting(3, Status.OUT_OF_RANGE.withDescription("bad offset")));
        Reader reader = new Reader().to(numbers(client));
        reader.request(100);
        CsiCallException failure = Wire.failure(reader.end);
        assertThat(reader.take(3)).containsExactly(1L, 2L, 3L);
        assertThat(failure.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.CHANGE_REQUEST);
        assertThat(failure)
                .hasMessageContaining("GetMetadataAllocated for snap-1")
                .hasMessageContaining("bad offset");
    }

    @Test
    void cancellingStreamEndsCallAndFurtherNotifications() throws Exception {
        server.behave(call -> {
            call.headers();
            call.send(message(1));
        });
        Reader reader = new Reader().to(numbers(client));
        reader.request(10);
        assertThat(reader.take(1)).containsExactly(1L);
        reader.subscription.join().cancel();
        reader.subscription.join().request(1);
        server.nextCancelled();
        Wire.get(ping());
        assertThat(reader.end).isNotDone();
    }

    private CompletableFuture<?> ping() {
        server.behave(call -> call.ok(Wire.INFO));
        return Wire.getPluginInfo(client);
    }

    @Test
    void requestOfZeroOrNegativeMessagesFailsStream() throws Exception {
        Reader reader = new Reader().to(numbers(client));
        server.next();
        reader.request(0);
        assertThatThrownBy(reader.end::join).hasCauseInstanceOf(IllegalArgumentException.class);
        server.nextCancelled();
    }

    @Test
    void streamWithoutMessageFailsAfterDeadline() throws Exception {
        server.behave(call -> {
            call.headers();
            call.send(message(1));
        });
        Reader reader = new Reader().to(numbers(client.withDeadline(Duration.ofMillis(300))));
        reader.request(2);
        assertThat(reader.take(1)).containsExactly(1L);
        CsiCallException failure = Wire.failure(reader.end);
        assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure).hasMessageContaining("within 300 ms");
        server.nextCancelled();
    }

    @Test
    void streamDoesNotTimeOutWhileSubscriberIsSlow() throws Exception {
        server.behave(counting(2, Status.OK));
        CountDownLatch never = new CountDownLatch(1);
        Reader reader = new Reader().to(numbers(client.withDeadline(Duration.ofMillis(500))));
        var unused = reader.end.whenComplete((end, failure) -> never.countDown());
        reader.request(1);
        assertThat(reader.take(1)).containsExactly(1L);
        assertThat(never.await(1_500, TimeUnit.MILLISECONDS)).isFalse();
        reader.request(1);
        assertThat(reader.take(1)).containsExactly(2L);
        Wire.get(reader.end);
    }

    @Test
    void exceptionThrownBySubscriberCancelsItsCallAtPlugin() throws Exception {
        server.behave(call -> {
            call.headers();
            call.send(message(1));
        });
        IllegalStateException fault = new IllegalStateException("a bug in the subscriber");
        Reader reader = throwing(number -> {
            throw fault;
        });
        reader.to(numbers(client)).request(5);
        assertThatThrownBy(reader.end::join).hasCause(fault);
        server.nextCancelled();
    }

    private static Reader throwing(Consumer<Long> onNext) {
        return new Reader() {
            @Override
            public void onNext(Long number) {
                onNext.accept(number);
            }
        };
    }

    @Test
    void unusableMessageEndsCall() throws Exception {
        server.behave(call -> {
            call.headers();
            call.send(message(1));
        });
        Flow.Publisher<Long> publisher = client.calls().stream(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.GET_METADATA_ALLOCATED,
                        SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
                        GetMetadataAllocatedRequest.getDefaultInstance()),
                message -> {
                    throw new UnusableAnswerException("block_metadata is not in order");
                });
        Reader reader = new Reader().to(publisher);
        reader.request(1);
        assertThat(Wire.failure(reader.end)).hasMessageContaining("block_metadata is not in order");
        server.nextCancelled();
    }

    @Test
    void closingClientEndsStreams() throws Exception {
        Flow.Publisher<Long> publisher = numbers(client);
        Reader reader = new Reader().to(publisher);
        reader.request(1);
        server.next();
        client.close();
        CsiCallException failure = Wire.failure(reader.end);
        assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED);
        assertThat(failure).hasMessageContaining("the client was closed");

        assertThatThrownBy(() -> numbers(client)).isInstanceOf(IllegalStateException.class);
        Reader late = new Reader().to(publisher);
        assertThatThrownBy(late.end::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    /** As for a call with one response. Messages that the subscriber requests between the two attempts are not forgotten. */
    @Test
    void earlierConnectFailureDoesNotFailNewStream() throws Exception {
        Path path = directory.resolve("later.sock");
        CompletableFuture<Boolean> registered = new CompletableFuture<>();
        server.behave(counting(3, Status.OK));
        try (CsiClient later = CsiClient.builder(Endpoint.unix(path))
                .environment(Wire.environment(Wire.atOnce(registered)))
                .build()) {
            Reader reader = new Reader();
            CompletableFuture<Void> asked = Wire.getPluginInfo(later).handle((answer, failure) -> {
                assertThat(failure).hasMessageContaining("there is no socket");
                assertThat(directory.resolve("x.sock").toFile().renameTo(path.toFile()))
                        .isTrue();
                reader.to(numbers(later));
                reader.request(1);
                reader.request(2);
                return null;
            });
            registered.complete(true);
            Wire.get(asked);
            assertThat(reader.take(3)).containsExactly(1L, 2L, 3L);
            Wire.get(reader.end);
            assertThat(server.calls()).isEqualTo(1);
        }
    }

    /** The client is closed while gRPC passes the call to a connection that was just opened for it. */
    @Test
    void streamEndsIfClientIsClosedDuringItsStart() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        MethodDescriptor<String, byte[]> slow = MethodDescriptor.newBuilder(
                        new HeldRequests(begun, closed), new Bytes())
                .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                .setFullMethodName(
                        SnapshotMetadataGrpc.getGetMetadataAllocatedMethod().getFullMethodName())
                .build();
        Flow.Publisher<Long> publisher = client.calls().stream(
                CsiRequest.empty(), RpcCall.plain(Rpc.GET_METADATA_ALLOCATED, slow, "request"), bytes ->
                        (long) bytes.length);
        Reader reader = new Reader();
        // Starts the stream on another thread, because gRPC passes the call to an open connection on the calling
        // thread.
        Thread asking = new Thread(
                () -> {
                    reader.to(publisher);
                    reader.request(1);
                },
                "asking");
        asking.start();
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        List<Thread> ioThreads = Thread.getAllStackTraces().keySet().stream()
                .filter(IoThread.class::isInstance)
                .toList();
        client.close();
        for (Thread each : ioThreads) {
            // Waits a short time: threads that were ended too early would have ended by then.
            each.join(100);
        }
        closed.countDown();
        assertThat(Wire.failure(reader.end)).hasMessageContaining("the client was closed");
        asking.join(30_000);
        assertThat(asking.isAlive()).isFalse();
    }

    /** Requests whose encoding blocks until the client was closed. */
    private record HeldRequests(CountDownLatch begun, CountDownLatch closed)
            implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    begun.countDown();
                    try {
                        assertThat(closed.await(1, TimeUnit.MINUTES)).isTrue();
                    } catch (InterruptedException e) {
                        throw new InterruptedIOException();
                    }
                    return -1;
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return read();
                }
            };
        }

        @Override
        public String parse(InputStream stream) {
            throw new AssertionError("unexpected response");
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void missingSocketFailsStream() throws Exception {
        try (CsiClient noOne =
                CsiClient.connect(directory.resolve("nobody.sock").toString())) {
            Reader reader = new Reader().to(numbers(noOne));
            assertThat(Wire.failure(reader.end)).hasMessageContaining("there is no socket");
        }
    }
}
