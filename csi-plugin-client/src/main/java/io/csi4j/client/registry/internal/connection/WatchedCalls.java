package io.csi4j.client.registry.internal.connection;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.internal.concurrent.Futures;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Wraps a service; the wrapper reports each failed call. */
public final class WatchedCalls {
    private WatchedCalls() {}

    public static <S> S over(Class<S> type, S service, Consumer<CsiCallException> failed) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = call(service, method, arguments);
                    if (result instanceof CompletableFuture<?> answer) {
                        var unused = answer.whenComplete((value, failure) -> {
                            if (failure != null && Futures.unwrap(failure) instanceof CsiCallException call) {
                                failed.accept(call);
                            }
                        });
                    }
                    return result;
                }));
    }

    private static @Nullable Object call(Object service, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(service, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
