! SPDX-License-Identifier: MIT
! Burgers' equation u_t = nu u_xx - u u_x on a ring that is divided over ranks. While the solver runs, rank 0 trains a network on
! what all ranks see: u, u_x and u_xx of a point, and its u_t. Then every rank takes the network's weights, and goes on with what
! the network says instead of the formula, beside a solver that keeps the formula.
program burgers
  use closures
  use mpi
  implicit none
  integer, parameter :: points = 64, learned_steps = 6000, tried_steps = 200
  real, parameter :: nu = 0.1, dt = 5e-4, scales(3) = [1., 2., 8.], scale_of_result = 2.
  real, allocatable :: u(:), exact(:), all_x(:, :), all_y(:)
  real(c_float), target, allocatable :: x(:, :), y(:)
  real(c_float), pointer :: weights(:)
  real(c_double) :: loss, first, mean
  real :: dx, differences(2), sums(2)
  type(closures_rows) :: batch
  type(c_ptr) :: network, trainer
  integer :: rank, ranks, left, right, error, i
  integer(c_size_t) :: p

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  if (closures_interface() /= closures_interface_version) error stop "another version of the library"

  dx = 8 * atan(1.) / (points * ranks)
  allocate(u(0:points + 1), exact(0:points + 1), x(3, points), y(points), all_x(3, points * ranks), all_y(points * ranks))
  do i = 1, points
    u(i) = sin(dx * (rank * points + i)) + 0.3 * cos(2 * dx * (rank * points + i))
  end do

  ! All ranks have the network; rank 0 alone trains it.
  call closures_must(closures_create(closures_text("Tendency"), closures_text("host"), 1_c_int64_t, network))
  if (rank == 0) call closures_must(closures_trainer_create(network, closures_text("MSELoss"), closures_text("Adam(lr=0.01)"), &
      closures_text("per_step(CosineAnnealingLR(T_max=6000))"), trainer))
  first = 0
  mean = 0
  do i = 1, learned_steps
    call look(u)
    call tendency_by_formula(u)
    call MPI_Gather(x, 3 * points, MPI_REAL, all_x, 3 * points, MPI_REAL, 0, MPI_COMM_WORLD, error)
    call MPI_Gather(y, points, MPI_REAL, all_y, points, MPI_REAL, 0, MPI_COMM_WORLD, error)
    if (rank == 0) then
      call learn(all_x, all_y)
      if (i <= 20) first = first + loss / 20
      if (i > learned_steps - 20) mean = mean + loss / 20
    end if
    u(1:points) = u(1:points) + dt * scale_of_result * y
    if (modulo(i, 2000) == 0) call again(i)
  end do

  ! The weights of rank 0, in place.
  do p = 0, closures_parameter_count(network) - 1
    call c_f_pointer(closures_parameter(network, closures_parameter_name(network, p)), weights, &
        [closures_parameter_size(network, p)])
    call MPI_Bcast(weights, size(weights), MPI_REAL, 0, MPI_COMM_WORLD, error)
  end do

  exact = u
  do i = 1, tried_steps
    call look(exact)
    call tendency_by_formula(exact)
    exact(1:points) = exact(1:points) + dt * scale_of_result * y
    call look(u)
    call closures_must(closures_predict(network, x, int(points, c_size_t), y))
    u(1:points) = u(1:points) + dt * scale_of_result * y
  end do
  differences = [sum((u(1:points) - exact(1:points))**2), sum(exact(1:points)**2)]
  call MPI_Reduce(differences, sums, 2, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) then
    print "(a, i0, a, es8.1, a, es8.1, a, f6.4)", "ranks: ", ranks, ", loss: ", first, " to ", mean, ", relative difference: ", &
        sqrt(sums(1) / sums(2))
    call closures_trainer_destroy(trainer)
    if (sqrt(sums(1) / sums(2)) > 0.05 .or. mean > first / 20) error stop "the network has not learned the equation"
    print "(a)", "learned"
  end if
  call closures_destroy(network)
  call MPI_Finalize(error)
contains
  ! x: what the network reads of each point, after the ends of the neighbours have come.
  subroutine look(at)
    real, intent(inout) :: at(0:)
    integer :: k
    call MPI_Sendrecv(at(1), 1, MPI_REAL, left, 0, at(points + 1), 1, MPI_REAL, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(at(points), 1, MPI_REAL, right, 1, at(0), 1, MPI_REAL, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    do k = 1, points
      x(:, k) = [at(k), (at(k + 1) - at(k - 1)) / (2 * dx), (at(k + 1) - 2 * at(k) + at(k - 1)) / dx**2] / scales
    end do
  end subroutine
  subroutine tendency_by_formula(at)
    real, intent(in) :: at(0:)
    y = (nu * scales(3) * x(3, :) - at(1:points) * scales(2) * x(2, :)) / scale_of_result
  end subroutine
  subroutine learn(inputs, targets)
    real(c_float), target, intent(in) :: inputs(:, :), targets(:)
    batch%count = size(targets)
    batch%inputs = c_loc(inputs(1, 1))
    batch%targets = c_loc(targets(1))
    call closures_must(closures_step(trainer, batch, loss))
  end subroutine
  ! Another beginning, so that the network sees more than one.
  subroutine again(number)
    integer, intent(in) :: number
    integer :: k
    do k = 1, points
      u(k) = sin(dx * (rank * points + k) + 0.001 * number) + 0.3 * cos(2 * dx * (rank * points + k) - 0.002 * number)
    end do
  end subroutine
end program
