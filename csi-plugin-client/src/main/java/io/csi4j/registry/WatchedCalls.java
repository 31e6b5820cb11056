package io.csi4j.registry;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A service that tells when a call of it ended as if nobody were there. All calls are alike in that. */
final class WatchedCalls {
    private WatchedCalls() {}

    static <S> S over(Class<S> type, S service, Runnable nobodyThere) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = call(service, method, arguments);
                    if (result instanceof CompletableFuture<?> answer) {
                        var unused = answer.whenComplete((value, failure) -> {
                            if (failure != null && unavailable(RpcQuestions.cause(failure))) {
                                nobodyThere.run();
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

    private static boolean unavailable(Throwable failure) {
        return failure instanceof CsiCallException call && call.code() == StatusCode.UNAVAILABLE;
    }
}
