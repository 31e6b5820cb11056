package io.csi4j.client.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedResourceTest {
    private final List<Integer> closed = new ArrayList<>();
    private int opened;
    private final SharedResource<Integer> resource = new SharedResource<>(() -> ++opened, closed::add);

    @Test
    void objectIsClosedWithItsLastLease() {
        SharedResource.Lease<Integer> first = resource.lease();
        SharedResource.Lease<Integer> second = resource.lease();
        assertThat(first.get()).isEqualTo(1);
        assertThat(second.get()).isEqualTo(1);
        first.close();
        first.close();
        assertThat(closed).isEmpty();
        second.close();
        assertThat(closed).containsExactly(1);
    }

    @Test
    void objectIsCreatedAgainAfterItsLastLease() {
        resource.lease().close();
        SharedResource.Lease<Integer> next = resource.lease();
        assertThat(next.get()).isEqualTo(2);
        next.close();
        assertThat(closed).containsExactly(1, 2);
    }
}
