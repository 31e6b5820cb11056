package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.NodeGateway;
import io.csi4j.testkit.contract.FarNode.Arrived;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A gateway under test and the node behind it, with waits that end. Closes both. */
final class GatewayUse implements AutoCloseable {
    /** The deadline of the gateway's requests in tests in which the node answers. */
    static final Duration LONG = Duration.ofSeconds(60);

    private final NodeGatewayContract contract;
    private final NodeGateway gateway;
    final FarNode node = new FarNode();

    private GatewayUse(NodeGatewayContract contract, NodeGateway gateway) {
        this.contract = contract;
        this.gateway = gateway;
    }

    /** Returns a gateway that cannot reach its node yet. */
    static GatewayUse alone(NodeGatewayContract contract, Duration deadline) throws Exception {
        return new GatewayUse(contract, contract.open(deadline));
    }

    static GatewayUse connected(NodeGatewayContract contract, Duration deadline) throws Exception {
        GatewayUse use = alone(contract, deadline);
        use.connect();
        return use;
    }

    void connect() throws Exception {
        contract.connect(gateway, GatewayRequests.NODE, node);
    }

    /** Calls the gateway on another thread, and waits until it has returned. */
    <R> CompletableFuture<R> call(Function<NodeGateway, CompletableFuture<R>> call) throws Exception {
        CompletableFuture<CompletableFuture<R>> returned = new CompletableFuture<>();
        Thread caller = new Thread(
                () -> {
                    try {
                        returned.complete(call.apply(gateway));
                    } catch (RuntimeException | Error e) {
                        returned.completeExceptionally(e);
                    }
                },
                "contract-caller");
        caller.setDaemon(true);
        caller.start();
        CompletableFuture<R> future = within("the return of the method", returned);
        assertThat(future).as("the future that the method returned").isNotNull();
        return future;
    }

    /** Waits for the next request at the node. */
    Arrived arrived() throws Exception {
        Arrived arrived = node.arrivals.poll(contract.patience().toMillis(), TimeUnit.MILLISECONDS);
        assertThat(arrived)
                .as("a request at the node within %s", contract.patience())
                .isNotNull();
        return arrived;
    }

    <R> R within(String what, CompletableFuture<R> future) throws Exception {
        return LogUse.within(what, contract.patience(), future);
    }

    /** Waits for the failure of a future. */
    Throwable failure(CompletableFuture<?> future) throws Exception {
        try {
            Object value = future.get(contract.patience().toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("the request succeeded with " + value + " where a failure was due");
        } catch (TimeoutException e) {
            throw new AssertionError("no answer and no failure within " + contract.patience(), e);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        contract.close(gateway);
    }
}
