package io.csi4j.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The RPCs that are listed are the methods of the services. */
class ServicesTest {
    private static final Map<RpcService, Class<?>> INTERFACES = new EnumMap<>(Map.of(
            RpcService.IDENTITY, IdentityService.class,
            RpcService.CONTROLLER, ControllerService.class,
            RpcService.GROUP_CONTROLLER, GroupControllerService.class,
            RpcService.SNAPSHOT_METADATA, SnapshotMetadataService.class,
            RpcService.NODE, NodeService.class));

    /** CSI gives their responses no fields. */
    private static final Set<Rpc> WITHOUT_ANSWER = EnumSet.of(
            Rpc.DELETE_VOLUME,
            Rpc.CONTROLLER_UNPUBLISH_VOLUME,
            Rpc.CONTROLLER_MODIFY_VOLUME,
            Rpc.DELETE_SNAPSHOT,
            Rpc.DELETE_VOLUME_GROUP_SNAPSHOT,
            Rpc.NODE_STAGE_VOLUME,
            Rpc.NODE_UNSTAGE_VOLUME,
            Rpc.NODE_PUBLISH_VOLUME,
            Rpc.NODE_UNPUBLISH_VOLUME);

    @Test
    void everyRpcHasMethodInItsServiceInterface() throws Exception {
        for (Rpc rpc : Rpc.values()) {
            String name = rpc.csiName().substring(0, 1).toLowerCase(Locale.ROOT)
                    + rpc.csiName().substring(1);
            Class<?>[] parameters = RequestContractTest.WITHOUT_FIELDS.contains(rpc)
                    ? new Class<?>[0]
                    : new Class<?>[] {Class.forName("io.csi4j.core.rpc." + rpc.csiName() + "Request")};
            Method method = INTERFACES.get(rpc.service()).getMethod(name, parameters);

            ParameterizedType returned = (ParameterizedType) method.getGenericReturnType();
            assertThat(returned.getRawType())
                    .isEqualTo(
                            rpc.service() == RpcService.SNAPSHOT_METADATA
                                    ? Flow.Publisher.class
                                    : CompletableFuture.class);
            assertThat(returned.getActualTypeArguments()[0].getTypeName())
                    .isEqualTo(
                            WITHOUT_ANSWER.contains(rpc)
                                    ? "java.lang.Void"
                                    : "io.csi4j.core.rpc." + rpc.csiName() + "Response");
        }
    }

    @Test
    void serviceInterfacesHaveNoMethodsOtherThanTheirRpcs() {
        assertThat(INTERFACES.values().stream()
                        .mapToInt(type -> type.getMethods().length)
                        .sum())
                .isEqualTo(Rpc.values().length)
                .isEqualTo(36);
        assertThat(Arrays.stream(Rpc.values()).map(Rpc::csiName)).doesNotHaveDuplicates();
    }
}
